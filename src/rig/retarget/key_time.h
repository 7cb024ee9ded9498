/// rig/retarget/key_time.h: times of keys.
#ifndef SUP_RIG_RETARGET_KEY_TIME_H
#define SUP_RIG_RETARGET_KEY_TIME_H

#include <math.h>

/// The float at or just after a time: rounded down, the last frame of a clip would lie past its end and be lost.
static inline float sup_key_time(double seconds)
{
    float time = (float)seconds;
    return (double)time < seconds ? nextafterf(time, INFINITY) : time;
}

#endif
