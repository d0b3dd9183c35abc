/** Starts and restarts one at a time: while one runs, at most one more waits, however many ask. */

export class SingleFlight {
  private running: Promise<void> | undefined;
  private queued: Promise<void> | undefined;

  constructor(private readonly job: () => Promise<void>) {}

  /** Run the job, or join the run that is still to begin. Rejects as the run does that this call stands for. */
  run(): Promise<void> {
    if (this.running === undefined) {
      this.running = this.job().finally(() => (this.running = undefined));
      return this.running;
    }
    this.queued ??= this.running
      .catch(() => undefined)
      .then(() => {
        this.queued = undefined;
        return this.run();
      });
    return this.queued;
  }

  /** The run that is under way, if any. */
  get current(): Promise<void> | undefined {
    return this.queued ?? this.running;
  }
}
