// Formats of other programs that we do not read or write, and a way around each that users would otherwise have to find.
#include "io/elsewhere.h"

#include "supple/io.h"

static const struct {
    const char* ending;
    const char* read;
    const char* write;
} formats[] = {
    { "usdz", "export it as .glb from the program that made it, or from Blender",
      "write .usda, which 'usdzip out.usdz out.usda' packs" },
    { "usdc", "export it as .glb from the program that made it, or from Blender",
      "write .usda, which 'usdcat out.usda -o out.usdc' turns into it" },
    { "usd", "export it as .glb from the program that made it, or from Blender", "write .usda, which every USD program reads" },
    { "usda", "export it as .glb from the program that made it, or from Blender", NULL },
    { "abc", "export its frames as .obj, or its points as .pc2 or .mdd", NULL },
    { "fbx", NULL, "write .glb, and export FBX from Blender for programs that read nothing else" },
    { "ma", "export it as .fbx or .glb from Maya", "write .mdd or .glb, and import that in Maya" },
    { "mb", "export it as .fbx or .glb from Maya", "write .mdd or .glb, and import that in Maya" },
    { "max", "export it as .fbx or .glb from 3ds Max", "write .pc2 or .glb, and import that in 3ds Max" },
    { "c4d", "export it as .fbx or .glb from Cinema 4D", "write .mdd or .glb, and import that in Cinema 4D" },
    { "hip", "export it as .glb or .obj from Houdini", "write .glb or .usda, and import that in Houdini" },
    { "blend", NULL, "write .glb, and import that in Blender" },
};

const char* sup_elsewhere_cure(const char* path, bool write)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
        if (sup_path_ends_in(path, formats[i].ending)) return write ? formats[i].write : formats[i].read;
    return NULL;
}
