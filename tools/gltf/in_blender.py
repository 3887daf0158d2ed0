# blender --background --python tools/gltf/in_blender.py -- FILE.glb FILE.bvh FRAMES_PER_SECOND OUT.json
# Where Blender has objects (of the .glb) and heads of bones (of the .bvh) in every tenth frame, in its axes, which have z up.
import json
import sys

import addon_utils
import bpy
import numpy

# Debian 12 has Blender 3.4, whose readers ask for what its numpy 1.24 and its Python 3.11 have no more.
numpy.bool = bool
addon_utils.enable("io_anim_bvh")
import io_anim_bvh.import_bvh  # noqa: E402

io_anim_bvh.import_bvh.open = lambda name, mode="r", **more: open(name, mode.replace("U", ""), **more)

glb, bvh, per_second, out = sys.argv[sys.argv.index("--") + 1 :]


def fresh():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = int(per_second)


def looked_at(places, first, last):
    frames = {}
    for frame in range(0, last - first + 1, 10):
        bpy.context.scene.frame_set(first + frame)
        bpy.context.view_layer.update()
        frames[frame] = places()
    return frames


def last_frame():
    return int(max(action.frame_range[1] for action in bpy.data.actions) + 0.5)


fresh()
bpy.ops.import_scene.gltf(filepath=glb)
found = {"glb": looked_at(lambda: {o.name: list(o.matrix_world.translation) for o in bpy.context.scene.objects}, 0, last_frame())}
fresh()
bpy.ops.import_anim.bvh(filepath=bvh, frame_start=0, axis_forward="-Z", axis_up="Y")
armature = next(o for o in bpy.context.scene.objects if o.type == "ARMATURE")
found["bvh"] = looked_at(
    lambda: {b.name: list((armature.matrix_world @ b.matrix).translation) for b in armature.pose.bones},
    1,  # where its reader puts the first frame
    last_frame(),
)
with open(out, "w") as file:
    json.dump(found, file)
