"""Long work in the background: in a thread that never touches Blender's data, watched by a modal operator."""

import threading

import bpy

from . import rig, supple


class Job:
    """Runs work(told) in a thread; told(fraction, what) returns False once the user has cancelled."""

    def __init__(self, work):
        self.fraction, self.what, self.stop = 0.0, "", False
        self.result = self.error = None
        self._work = work
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _told(self, fraction, what):
        self.fraction, self.what = fraction, what
        return not self.stop

    def _run(self):
        try:
            self.result = self._work(self._told)
        except BaseException as error:
            self.error = error

    def start(self):
        self._thread.start()

    def running(self):
        return self._thread.is_alive()

    def run_here(self):
        self._run()


class Working:
    """For operators with long work: `prepare` reads the scene, `work` runs in the background, `finish` changes the scene."""

    def prepare(self, context, told):
        """What `work` and `finish` need, read from the scene. May raise rig.Refused."""
        raise NotImplementedError

    def work(self, given, told):
        raise NotImplementedError

    def finish(self, context, given, result):
        raise NotImplementedError

    # ---------------------------------------------------------------------------------------- one way to fail

    def _fail(self, error):
        if isinstance(error, supple.Cancelled):
            self.report({"WARNING"}, "Stopped; nothing has changed")
        elif isinstance(error, (rig.Refused, supple.Error)):
            words = str(error)
            self.report({"ERROR"}, words[:1].upper() + words[1:])
        else:
            raise error
        return {"CANCELLED"}

    def _prepare(self, context):
        manager = context.window_manager
        manager.progress_begin(0, 1)

        def told(fraction, what):
            manager.progress_update(0.2 * fraction)

        try:
            return self.prepare(context, told)
        finally:
            manager.progress_end()

    # ---------------------------------------------------------------------------------------- in one go, or beside the window

    def execute(self, context):
        try:
            given = self._prepare(context)
        except (rig.Refused, supple.Error) as error:
            return self._fail(error)
        job = Job(lambda told: self.work(given, told))
        job.run_here()
        return self._end(context, given, job)

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self._given = self._prepare(context)
        except (rig.Refused, supple.Error) as error:
            return self._fail(error)
        self._job = Job(lambda told: self.work(self._given, told))
        self._timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.progress_begin(0, 1)
        context.window_manager.modal_handler_add(self)
        self._job.start()
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._job.stop = True
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # the scene must not change beneath it
        manager = context.window_manager
        manager.progress_update(self._job.fraction)
        context.workspace.status_text_set(f"Supple: {self._job.what} {100 * self._job.fraction:.0f} %   (Esc stops)")
        if self._job.running():
            return {"RUNNING_MODAL"}
        manager.event_timer_remove(self._timer)
        manager.progress_end()
        context.workspace.status_text_set(None)
        return self._end(context, self._given, self._job)

    def _end(self, context, given, job):
        if job.error is not None:
            return self._fail(job.error)
        try:
            self.finish(context, given, job.result)
        except (rig.Refused, supple.Error) as error:
            return self._fail(error)
        return {"FINISHED"}
