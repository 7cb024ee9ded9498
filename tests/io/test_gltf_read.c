// The glTF reader: containers, nodes, primitives, and what stands at the vertices.
#include "io/gltf_builder.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------- containers

static void one_triangle_is_read_from_glb(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    sup_character* c = read_glb(&b);
    assert_string_equal(c->name, "small");
    assert_int_equal(c->mesh.point_count, 3);
    assert_int_equal(c->mesh.triangle_count, 1);
    assert_string_equal(c->mesh.parts[0].name, "shown");
    assert_int_equal(c->mesh.parts[0].source_id, 0);
    assert_memory_equal(c->mesh.points, triangle_positions, sizeof triangle_positions);
    assert_null(c->mesh.vertex_normals);
    assert_true(c->metres_per_unit == 1 && !c->unit_assumed);
    assert_true(c->up == SUP_AXIS_Y && !c->up_assumed);
    done(c, &b);
}

static void the_magic_decides_not_the_ending(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    memory_file    beside[] = { { "folder/data.bin", b.binary.data, b.binary.size }, { 0 } };
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(read_with(builder_gltf(&b, "data.bin"), beside, NULL, &c, &error), error); // the path still says .glb
    assert_int_equal(c->mesh.point_count, 3);
    done(c, &b);
}

static void the_user_may_insist_on_unit_and_up(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    sup_character* c = NULL;
    sup_error      error;
    sup_read_input in = { .path = "a.glb", .bytes = builder_glb(&b), .unit = 0.01, .up = SUP_UP_Z };
    assert_ok(gltf_read(&in, &c, &error), error);
    assert_true(c->metres_per_unit == 0.01 && !c->unit_assumed && c->up == SUP_AXIS_Z);
    done(c, &b);
}

static void unknown_chunks_and_odd_padding_are_tolerated(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    builder_glb(&b);
    put32(&b.file, 3); // a third chunk of three bytes
    grow(&b.file, "XTRAabc", 7);
    uint32_t length = (uint32_t)b.file.size;
    memcpy(b.file.data + 8, &length, 4);
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(read_with((sup_bytes){ (uint8_t*)b.file.data, b.file.size }, NULL, NULL, &c, &error), error);
    done(c, &b);
}

static void required_extensions_are_known_or_named(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    item(&b.more, "\"extensionsRequired\":[\"KHR_texture_transform\",\"KHR_materials_unlit\",\"KHR_mesh_quantization\"]");
    sup_character* c = read_glb(&b);
    done(c, &b);

    add_triangle(&b);
    item(&b.more, "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]");
    refuse_glb(&b,
               "KHR_draco_mesh_compression, which is not supported; decompress it with 'gltf-transform copy IN.glb OUT.glb'");
    add_triangle(&b);
    item(&b.more, "\"extensionsRequired\":[\"EXT_meshopt_compression\"]");
    refuse_glb(&b, "build it with libmeshoptimizer, or decompress the file first");
    add_triangle(&b);
    item(&b.more, "\"extensionsRequired\":[\"ACME_shapes\"]");
    refuse_glb(&b, "requires the extension ACME_shapes");
}

// ---------------------------------------------------------------------------------------------- nodes

static void a_mesh_stands_where_its_node_stands(void** state)
{
    (void)state;
    builder  b = { 0 };
    uint32_t positions = add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    item(&b.meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":%u}}]}", positions);
    // A quarter turn about z, then two to the right; above it twice the size.
    add_node(&b, "{\"children\":[1],\"scale\":[2,2,2]}");
    add_node(&b, "{\"mesh\":0,\"translation\":[1,0,0],\"rotation\":[0,0,0.70710678,0.70710678]}");
    sup_character* c = read_glb(&b);
    assert_point(c->mesh.points[1], 2, 2, 0);
    assert_point(c->mesh.points[2], 0, 0, 0);
    assert_string_equal(c->mesh.parts[0].name, "mesh 0"); // neither has a name
    assert_string_equal(c->skeleton.joints[1].name, "node 1");
    assert_int_equal(c->skeleton.joint_count, 2);
    assert_int_equal(c->skeleton.skin_joint_count, 0);
    assert_int_equal(c->mesh.parts[0].joint, 1);
    done(c, &b);
}

static void a_matrix_is_decomposed_or_kept_when_it_shears(void** state)
{
    (void)state;
    builder  b = { 0 };
    uint32_t positions = add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    item(&b.meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":%u}}]}", positions);
    add_node(&b, "{\"mesh\":0,\"matrix\":[2,0,0,0, 0,2,0,0, 0,0,2,0, 5,6,7,1]}");
    add_node(&b, "{\"mesh\":0,\"matrix\":[1,0,0,0, 1,1,0,0, 0,0,1,0, 0,0,0,1]}");
    sup_character*   c = read_glb(&b);
    const sup_joint* plain = &c->skeleton.joints[0];
    const sup_joint* sheared = &c->skeleton.joints[1];
    assert_false(plain->has_matrix);
    assert_point(plain->rest.translation, 5, 6, 7);
    assert_point(plain->rest.scale, 2, 2, 2);
    assert_true(sheared->has_matrix);
    assert_true(sheared->matrix.m[0][1] == 1); // x grows with y
    assert_point(c->mesh.points[c->mesh.parts[0].point_begin + 1], 7, 6, 7);
    assert_point(c->mesh.points[c->mesh.parts[1].point_begin + 2], 1, 1, 0);
    done(c, &b);
}

static void only_the_default_scene_is_shown(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    add_node(&b, "{\"name\":\"other\",\"mesh\":0}");
    item(&b.scenes, "{\"nodes\":[0]}");
    item(&b.scenes, "{\"nodes\":[1]}");
    item(&b.more, "\"scene\":1");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.part_count, 1);
    assert_string_equal(c->mesh.parts[0].name, "other");
    done(c, &b);

    add_triangle(&b);
    add_node(&b, "{\"name\":\"other\",\"mesh\":0}");
    item(&b.scenes, "{\"nodes\":[0]}");
    item(&b.scenes, "{\"nodes\":[1]}");
    c = read_glb(&b); // without a word, the first
    assert_int_equal(c->mesh.part_count, 1);
    assert_string_equal(c->mesh.parts[0].name, "shown");
    done(c, &b);
}

static void a_chain_of_100000_nodes_is_read(void** state)
{
    (void)state;
    enum { COUNT = 100000 };
    builder  b = { 0 };
    uint32_t positions = add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    item(&b.meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":%u}}]}", positions);
    for (uint32_t i = 0; i + 1 < COUNT; ++i) add_node(&b, "{\"children\":[%u],\"translation\":[0,0,1]}", i + 1);
    add_node(&b, "{\"mesh\":0}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->skeleton.joint_count, COUNT);
    assert_float_equal(c->mesh.points[0].z, COUNT - 1, 1e-2);
    done(c, &b);
}

static void cycles_and_second_parents_are_refused_by_name(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    add_node(&b, "{\"name\":\"snake\",\"children\":[2]}");
    add_node(&b, "{\"name\":\"tail\",\"children\":[1]}");
    refuse_glb(&b, "node 'snake' is above itself in a cycle");
    add_triangle(&b);
    add_node(&b, "{\"name\":\"self\",\"children\":[1]}");
    refuse_glb(&b, "node 'self' is above itself in a cycle");
    add_triangle(&b);
    add_node(&b, "{\"name\":\"mother\",\"children\":[0]}");
    add_node(&b, "{\"name\":\"other\",\"children\":[0]}");
    refuse_glb(&b, "node 'shown' has two parents, 'mother' and 'other'");
    add_triangle(&b);
    add_node(&b, "{\"name\":\"lost\",\"children\":[7]}");
    refuse_glb(&b, "node 'lost': its child does not exist");
}

// ---------------------------------------------------------------------------------------------- primitives

static void read_mode(int mode, const uint32_t* expected, uint32_t triangles)
{
    static const float    five[15] = { 0, 0, 0, 1, 0, 0, 2, 1, 0, 3, 0, 1, 4, 1, 1 };
    static const uint16_t indices[] = { 4, 3, 2, 1, 0 };
    builder               b = { 0 };
    uint32_t positions = add_array(&b, five, 5, "VEC3", FLOAT), order = add_array(&b, indices, 5, "SCALAR", USHORT);
    item(&b.meshes, "{\"primitives\":[{\"mode\":%d,\"indices\":%u,\"attributes\":{\"POSITION\":%u}}]}", mode, order, positions);
    add_node(&b, "{\"mesh\":0}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.face_count, triangles);
    assert_memory_equal(c->mesh.corner_vertices, expected, triangles * 3 * sizeof *expected);
    done(c, &b);
}

static void strips_and_fans_become_triangles(void** state)
{
    (void)state;
    read_mode(4, (const uint32_t[]){ 4, 3, 2 }, 1);
    read_mode(5, (const uint32_t[]){ 4, 3, 2, 3, 1, 2, 2, 1, 0 }, 3); // every second one turned back
    read_mode(6, (const uint32_t[]){ 3, 2, 4, 2, 1, 4, 1, 0, 4 }, 3);
}

static void points_and_lines_are_left_out_with_a_note(void** state)
{
    (void)state;
    builder  b = { 0 };
    uint32_t p = add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    item(&b.meshes,
         "{\"name\":\"mix\",\"primitives\":[{\"mode\":1,\"attributes\":{\"POSITION\":%u}},{\"attributes\":{\"POSITION\":%u}}]}",
         p, p);
    add_node(&b, "{\"mesh\":0}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.vertex_count, 3);
    assert_true(test_warned(c, "mesh 'mix' primitive 0 is points or lines"));
    const gltf_source* source = c->source;
    assert_int_equal(source->parts[0].primitive_count, 1);
    assert_int_equal(source->parts[0].primitives[0].primitive, 1);
    done(c, &b);
    refuse_glb(&b, "no mesh with triangles"); // nothing at all
    item(&b.accessors, "{\"count\":0,\"type\":\"VEC3\",\"componentType\":5126}");
    show_mesh(&b, "\"POSITION\":0", "");
    refuse_glb(&b, "no mesh with triangles"); // a mesh, but an empty one
}

static void primitives_are_joined_in_order_with_a_way_back(void** state)
{
    (void)state;
    static const float    second[9] = { 5, 0, 0, 6, 0, 0, 5, 1, 0 }, normals[9] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
    static const uint8_t  small[3] = { 2, 1, 0 };
    static const uint32_t large[3] = { 0, 2, 1 };
    builder               b = { 0 };
    uint32_t p0 = add_array(&b, triangle_positions, 3, "VEC3", FLOAT), p1 = add_array(&b, second, 3, "VEC3", FLOAT);
    uint32_t n1 = add_array(&b, normals, 3, "VEC3", FLOAT);
    uint32_t i0 = add_array(&b, small, 3, "SCALAR", UBYTE), i1 = add_array(&b, large, 3, "SCALAR", UINT);
    item(&b.meshes,
         "{\"primitives\":[{\"indices\":%u,\"attributes\":{\"POSITION\":%u}},"
         "{\"indices\":%u,\"attributes\":{\"POSITION\":%u,\"NORMAL\":%u}}]}",
         i0, p0, i1, p1, n1);
    add_node(&b, "{\"mesh\":0}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.part_count, 1);
    assert_int_equal(c->mesh.vertex_count, 6);
    static const uint32_t corners[] = { 2, 1, 0, 3, 5, 4 };
    assert_memory_equal(c->mesh.corner_vertices, corners, sizeof corners);
    assert_point(c->mesh.vertex_normals[0], 0, 0, 0); // the first has none
    assert_point(c->mesh.vertex_normals[4], 0, 0, 1);
    const gltf_part* part = &((const gltf_source*)c->source)->parts[0];
    assert_int_equal(part->primitive_count, 2);
    assert_int_equal(part->primitives[1].vertex_begin, 3);
    assert_int_equal(part->primitives[1].vertex_count, 3);
    assert_int_equal(part->node, 0);
    assert_int_equal(part->skin, SUP_NONE);
    done(c, &b);
}

static void bad_indices_name_mesh_and_primitive(void** state)
{
    (void)state;
    static const uint16_t indices[] = { 0, 1, 3 };
    builder               b = { 0 };
    uint32_t p = add_array(&b, triangle_positions, 3, "VEC3", FLOAT), i = add_array(&b, indices, 3, "SCALAR", USHORT);
    item(&b.meshes, "{\"name\":\"body\",\"primitives\":[{\"indices\":%u,\"attributes\":{\"POSITION\":%u}}]}", i, p);
    add_node(&b, "{\"mesh\":0}");
    refuse_glb(&b, "mesh 'body' primitive 0: index 3 is not below its 3 vertices");
    static const uint32_t wide[] = { 0, 1, 4000000000u };
    p = add_array(&b, triangle_positions, 3, "VEC3", FLOAT), i = add_array(&b, wide, 3, "SCALAR", UINT);
    item(&b.meshes, "{\"name\":\"body\",\"primitives\":[{\"indices\":%u,\"attributes\":{\"POSITION\":%u}}]}", i, p);
    add_node(&b, "{\"mesh\":0}");
    refuse_glb(&b, "mesh 'body' primitive 0: index 4000000000 is not below its 3 vertices");
}

static void instances_of_a_mesh_are_parts_of_their_own(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    add_node(&b, "{\"name\":\"again\",\"mesh\":0,\"translation\":[0,0,5]}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.part_count, 2);
    assert_int_equal(c->mesh.point_count, 6);
    assert_point(c->mesh.points[3], 0, 0, 5);
    assert_int_equal(c->mesh.parts[1].source_id, 1);
    done(c, &b);
}

// ---------------------------------------------------------------------------------------------- vertices

static void quantized_positions_are_read_as_they_are(void** state)
{
    (void)state;
    static const int16_t positions[12] = { 0, 0, 0, 0, 100, 0, 0, 0, 0, -50, 0, 0 }; // padded to 8 bytes
    static const int8_t  normals[12] = { 0, 0, 127, 0, 0, -128, 0, 0, 0, 0, 127, 0 };
    builder              b = { 0 };
    uint32_t pv = add_view(&b, positions, 24, ",\"byteStride\":8"), nv = add_view(&b, normals, 12, ",\"byteStride\":4");
    item(&b.accessors, "{\"bufferView\":%u,\"count\":3,\"type\":\"VEC3\",\"componentType\":5122}", pv);
    item(&b.accessors, "{\"bufferView\":%u,\"count\":3,\"type\":\"VEC3\",\"componentType\":5120,\"normalized\":true}", nv);
    show_mesh(&b, "\"POSITION\":0,\"NORMAL\":1", "");
    item(&b.more, "\"extensionsRequired\":[\"KHR_mesh_quantization\"]");
    sup_character* c = read_glb(&b);
    assert_point(c->mesh.points[1], 100, 0, 0);
    assert_point(c->mesh.points[2], 0, -50, 0);
    assert_point(c->mesh.vertex_normals[0], 0, 0, 1);
    assert_point(c->mesh.vertex_normals[1], 0, -1, 0);
    done(c, &b);
}

static void morph_targets_have_names_and_rest_weights(void** state)
{
    (void)state;
    static const float up[9] = { 0, 0, 1, 0, 0, 2, 0, 0, 3 }, side[9] = { 1, 0, 0, 1, 0, 0, 1, 0, 0 };
    builder            b = { 0 };
    uint32_t           p = add_array(&b, triangle_positions, 3, "VEC3", FLOAT), t0 = add_array(&b, up, 3, "VEC3", FLOAT);
    uint32_t           t1 = add_array(&b, side, 3, "VEC3", FLOAT);
    item(&b.meshes,
         "{\"primitives\":[{\"attributes\":{\"POSITION\":%u},\"targets\":[{\"POSITION\":%u},{\"POSITION\":%u},{}]}],"
         "\"weights\":[0.25,0.5],\"extras\":{\"targetNames\":[\"smile\",\"blink\"]}}",
         p, t0, t1);
    add_node(&b, "{\"mesh\":0,\"scale\":[2,2,2]}");
    add_node(&b, "{\"mesh\":0,\"weights\":[1,0,0]}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->morph_count, 6);
    assert_string_equal(c->morphs[0].name, "smile");
    assert_string_equal(c->morphs[1].name, "blink");
    assert_string_equal(c->morphs[2].name, "target 2");
    assert_true(c->morphs[0].rest_weight == 0.25f && c->morphs[1].rest_weight == 0.5f);
    assert_true(c->morphs[3].rest_weight == 1 && c->morphs[4].rest_weight == 0); // the node's word counts
    assert_point(c->morphs[0].deltas[1], 0, 0, 4);                               // in rest space, twice the size
    assert_point(c->morphs[2].deltas[1], 0, 0, 0);
    done(c, &b);
}

static void custom_attributes_become_maps(void** state)
{
    (void)state;
    static const float   stiffness[3] = { 0, 0.5f, 1 };
    static const uint8_t layers[12] = { 0, 0, 0, 0, 255, 0, 0, 0, 51, 0, 0, 0 };
    static const float   id[3] = { 7, 8, 9 };
    builder              b = { 0 };
    uint32_t p = add_array(&b, triangle_positions, 3, "VEC3", FLOAT), s = add_array(&b, stiffness, 3, "SCALAR", FLOAT);
    uint32_t view = add_view(&b, layers, 12, ",\"byteStride\":4");
    item(&b.accessors, "{\"bufferView\":%u,\"count\":3,\"type\":\"SCALAR\",\"componentType\":5121,\"normalized\":true}", view);
    item(&b.accessors, "{\"bufferView\":%u,\"count\":3,\"type\":\"SCALAR\",\"componentType\":5121}", view);
    b.accessor_count += 2;
    uint32_t vector = add_array(&b, id, 1, "VEC3", FLOAT);
    char     attributes[200];
    snprintf(attributes, sizeof attributes, "\"POSITION\":%u,\"_STIFFNESS\":%u,\"_Layers\":%u,\"_BATCH\":%u,\"_DIR\":%u", p, s,
             s + 1, s + 2, vector);
    show_mesh(&b, attributes, "");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->map_count, 2);
    assert_string_equal(c->maps[0].name, "_STIFFNESS");
    assert_memory_equal(c->maps[0].values, stiffness, sizeof stiffness);
    assert_string_equal(c->maps[1].name, "_Layers");
    assert_float_equal(c->maps[1].values[2], 0.2f, 1e-7);
    assert_true(test_warned(c, "_BATCH") && test_warned(c, "_DIR"));
    done(c, &b);
}

static void equal_vertices_are_one_point_unless_point_numbers_say_otherwise(void** state)
{
    (void)state;
    static const float    six[18] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
    static const uint16_t apart[6] = { 0, 1, 2, 3, 4, 5 };
    builder               b = { 0 };
    add_array(&b, six, 6, "VEC3", FLOAT);
    show_mesh(&b, "\"POSITION\":0", "");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.point_count, 4);
    assert_int_equal(c->mesh.vertex_count, 6);
    done(c, &b);

    add_array(&b, six, 6, "VEC3", FLOAT);
    add_array(&b, apart, 6, "SCALAR", USHORT);
    show_mesh(&b, "\"POSITION\":0,\"_POINT\":1", "");
    c = read_glb(&b);
    assert_int_equal(c->mesh.point_count, 6);
    assert_int_equal(c->map_count, 0); // not a map
    done(c, &b);

    float own[6] = { 0, 1, 2, 3, 4, 2 }; // as our writer puts them; vertices 2 and 5 stand in one place
    add_array(&b, six, 6, "VEC3", FLOAT);
    add_array(&b, own, 6, "SCALAR", FLOAT);
    show_mesh(&b, "\"POSITION\":0,\"_POINT\":1", "");
    c = read_glb(&b);
    assert_int_equal(c->mesh.point_count, 5);
    assert_int_equal(c->mesh.vertex_points[5], 2);
    done(c, &b);

    own[1] = -1;
    add_array(&b, six, 6, "VEC3", FLOAT);
    add_array(&b, own, 6, "SCALAR", FLOAT);
    show_mesh(&b, "\"POSITION\":0,\"_POINT\":1", "");
    c = read_glb(&b);
    assert_int_equal(c->mesh.point_count, 4); // welded after all
    assert_true(test_warned(c, "_POINT numbers are missing or not integers"));
    done(c, &b);
}

static void vertices_that_are_not_finite_are_refused_by_name(void** state)
{
    (void)state;
    float   positions[9] = { 0, 0, 0, 1, NAN, 0, 0, 1, 0 }, normals[9] = { 0, 0, 1, NAN, 0, 1, 0, 0, 1 };
    builder b = { 0 };
    add_array(&b, positions, 3, "VEC3", FLOAT);
    show_mesh(&b, "\"POSITION\":0", "");
    refuse_glb(&b, "mesh 'tri' primitive 0 POSITION: accessor 0 holds a number that is not finite");
    positions[4] = INFINITY;
    add_array(&b, positions, 3, "VEC3", FLOAT);
    show_mesh(&b, "\"POSITION\":0", "");
    refuse_glb(&b, "accessor 0 holds a number that is not finite");

    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    add_array(&b, normals, 3, "VEC3", FLOAT);
    show_mesh(&b, "\"POSITION\":0,\"NORMAL\":1", "");
    sup_character* c = read_glb(&b); // a bad normal is only a bad normal
    assert_point(c->mesh.vertex_normals[1], 0, 0, 0);
    done(c, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_triangle_is_read_from_glb),
        cmocka_unit_test(the_magic_decides_not_the_ending),
        cmocka_unit_test(the_user_may_insist_on_unit_and_up),
        cmocka_unit_test(unknown_chunks_and_odd_padding_are_tolerated),
        cmocka_unit_test(required_extensions_are_known_or_named),
        cmocka_unit_test(a_mesh_stands_where_its_node_stands),
        cmocka_unit_test(a_matrix_is_decomposed_or_kept_when_it_shears),
        cmocka_unit_test(only_the_default_scene_is_shown),
        cmocka_unit_test(a_chain_of_100000_nodes_is_read),
        cmocka_unit_test(cycles_and_second_parents_are_refused_by_name),
        cmocka_unit_test(strips_and_fans_become_triangles),
        cmocka_unit_test(points_and_lines_are_left_out_with_a_note),
        cmocka_unit_test(primitives_are_joined_in_order_with_a_way_back),
        cmocka_unit_test(bad_indices_name_mesh_and_primitive),
        cmocka_unit_test(instances_of_a_mesh_are_parts_of_their_own),
        cmocka_unit_test(quantized_positions_are_read_as_they_are),
        cmocka_unit_test(morph_targets_have_names_and_rest_weights),
        cmocka_unit_test(custom_attributes_become_maps),
        cmocka_unit_test(equal_vertices_are_one_point_unless_point_numbers_say_otherwise),
        cmocka_unit_test(vertices_that_are_not_finite_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
