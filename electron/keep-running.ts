import { startServer, type Instance, type StartOptions } from '../server/index.ts'

/** The running instance; after a restored backup it is another one at the same address. */
export interface Running {
  readonly url: string
  /** The current certificate in PEM; undefined over plain HTTP. */
  certificate(): string | undefined
  ownerSession(): ReturnType<Instance['ownerSession']>
  /** The running work that an end would interrupt, in words. */
  runningWork(): readonly string[]
  readonly builtInRunner: Instance['builtInRunner']
  readonly clone: Instance['clone']
  /** To be called after a sleep of the computer. */
  wakeUp(): void
  close(): Promise<void>
}

/**
 * Starts an instance, and restarts it when it requests that. When it cannot start with a restored backup, it starts
 * with the previous data; when that fails too, `ended` is called.
 */
export async function keepRunning(
  options: StartOptions,
  on: { restarted: () => void; ended: (error: unknown) => void },
): Promise<Running> {
  let instance = await startServer(options)
  let isClosed = false
  const { url } = instance
  const { port, sshPort } = instance.context().config
  const again = { ...options, port, ...(sshPort === undefined ? {} : { sshPort }) }
  const follow = async (): Promise<void> => {
    for (;;) {
      await instance.restartAsked
      if (isClosed) return
      await instance.close()
      instance = await startServer(again).catch(() => startServer(again))
      on.restarted()
    }
  }
  follow().catch(on.ended)
  return {
    url,
    certificate: () => instance.context().config.ownCertificate?.pem,
    ownerSession: () => instance.ownerSession(),
    runningWork: () => (isClosed ? [] : instance.runningWork()),
    builtInRunner: {
      isPaused: () => (isClosed ? undefined : instance.builtInRunner.isPaused()),
      setPaused: (paused) => instance.builtInRunner.setPaused(paused),
    },
    clone: (given) => instance.clone(given),
    wakeUp: () => {
      if (!isClosed) instance.wakeUp()
    },
    close: () => {
      isClosed = true
      return instance.close()
    },
  }
}
