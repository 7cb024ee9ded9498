// Cameras and lights that assimp finds come into the document and stay in what is baked.
#include "../io/folder.h"
#include "../io/glb_file.h"
#include "supple/io_extra.h"
#include "tests/io/bake_support.h"

#ifndef SUPPLE_ASSIMP
int main(void)
{
    puts("skipped: this build is without assimp");
    return 77;
}
#else

// A triangle; a camera of 90 degrees across and twice as wide as high, five units up; a yellow lamp of half strength; the sun;
// ambient light, which glTF does not have.
static const char collada[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
    "<asset><up_axis>Y_UP</up_axis></asset>"
    "<library_cameras><camera id=\"c\" name=\"c\"><optics><technique_common><perspective><xfov>90</xfov><aspect_ratio>2</aspect_ratio>"
    "<znear>0.5</znear><zfar>20</zfar></perspective></technique_common></optics></camera></library_cameras>"
    "<library_lights><light id=\"lamp\"><technique_common><point><color>0.5 0.5 0</color></point></technique_common></light>"
    "<light id=\"sun\"><technique_common><directional><color>1 1 1</color></directional></technique_common></light>"
    "<light id=\"glow\"><technique_common><ambient><color>1 1 1</color></ambient></technique_common></light></library_lights>"
    "<library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"9\">0 0 0 1 0 0 0 1 0"
    "</float_array><technique_common><accessor source=\"#a\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"1\">"
    "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"body\"><instance_geometry url=\"#g\"/></node>"
    "<node id=\"eye\"><translate>0 5 0</translate><instance_camera url=\"#c\"/></node>"
    "<node id=\"bulb\"><instance_light url=\"#lamp\"/></node>"
    "<node id=\"sky\"><instance_light url=\"#sun\"/></node>"
    "<node id=\"haze\"><instance_light url=\"#glow\"/></node>"
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";

static sup_character* load_scene(void)
{
    sup_character*   c = NULL;
    sup_error        error = { 0 };
    sup_load_options options = { .extra = sup_extra_get() };
    const char*      path = test_folder_file(&folder, "scene.dae");
    test_write(path, collada, sizeof collada - 1);
    assert_ok(sup_load(path, &options, &c, &error), error);
    return c;
}

static glb bake(const sup_character* c)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_error  error;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    test_bake b = { .character = c, .pose = &pose, .path = test_folder_file(&folder, "scene.glb"), .fps = 1, .frames = 1 };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    sup_arena_destroy(arena);
    return glb_open(b.path);
}

static double value(const sup_json* object, const char* key) { return sup_json_number(sup_json_get(object, key), -1); }

// The node that carries it by name: the one itself, or the one below that looks where it should.
static const sup_json* carrier(const glb* g, const char* name)
{
    const sup_json* nodes = sup_json_get(g->root, "nodes");
    for (const sup_json* n = nodes->first; n; n = n->next)
        if (strncmp(sup_json_string(sup_json_get(n, "name"), ""), name, strlen(name)) == 0 &&
            (sup_json_get(n, "camera") || sup_json_get(n, "extensions")))
            return n;
    return NULL;
}

static void a_camera_keeps_its_lens(void** state)
{
    (void)state;
    sup_character* c = load_scene();
    glb            g = bake(c);
    assert_int_equal(glb_length(g.root, "cameras"), 1);
    const sup_json* lens = sup_json_get(glb_item(&g, "cameras", 0), "perspective");
    assert_float_equal(value(lens, "yfov"), 2 * atan(0.5), 1e-6); // half as high as wide: atan(tan(45) / 2) twice
    assert_float_equal(value(lens, "aspectRatio"), 2, 1e-6);
    assert_float_equal(value(lens, "znear"), 0.5, 1e-6);
    assert_float_equal(value(lens, "zfar"), 20, 1e-6);
    assert_non_null(carrier(&g, "eye"));
    sup_arena_destroy(g.arena);
    sup_character_destroy(c);
}

static void lights_keep_their_kind_and_color(void** state)
{
    (void)state;
    sup_character*  c = load_scene();
    glb             g = bake(c);
    const sup_json* lights = sup_json_get(sup_json_get(sup_json_get(g.root, "extensions"), "KHR_lights_punctual"), "lights");
    assert_non_null(lights);
    assert_int_equal(lights->count, 2);
    const sup_json *lamp = sup_json_at(lights, 0), *color = sup_json_get(lamp, "color");
    assert_string_equal(sup_json_string(sup_json_get(lamp, "type"), ""), "point");
    assert_float_equal(value(lamp, "intensity"), 0.5, 1e-6);
    assert_float_equal(sup_json_number(sup_json_at(color, 0), -1), 1, 1e-6); // the brightest part is one
    assert_float_equal(sup_json_number(sup_json_at(color, 2), -1), 0, 1e-6);
    assert_string_equal(sup_json_string(sup_json_get(sup_json_at(lights, 1), "type"), ""), "directional");
    assert_non_null(carrier(&g, "bulb"));
    assert_non_null(carrier(&g, "sky"));
    assert_true(test_warned(c, "light 'haze'"));
    sup_arena_destroy(g.arena);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_camera_keeps_its_lens),
                                        cmocka_unit_test(lights_keep_their_kind_and_color) };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

#endif
