import {
  startServer,
  type FailedPipeline,
  type Instance,
  type RunningWork,
  type StartOptions,
} from '../server/index.ts'

/** An instance with an error may never finish closing. */
const CLOSE_WITHIN_MS = 5000

/** The running instance; after a restored backup it is another one at the same address. */
export interface Running {
  readonly url: string
  /** The current certificate in PEM; undefined over plain HTTP. */
  certificate(): string | undefined
  ownerSession(): ReturnType<Instance['ownerSession']>
  /** The work that an end would interrupt. */
  runningWork(): readonly RunningWork[]
  failedPipelines(): readonly FailedPipeline[]
  readonly builtInRunner: Instance['builtInRunner']
  readonly clone: Instance['clone']
  /** To be called after a sleep of the computer. */
  wakeUp(): void
  /** False while it starts again, and after its end. */
  isOpen(): boolean
  /** Logs an error that nothing caught, and starts the instance again. */
  failed(error: unknown): void
  close(): Promise<void>
}

interface Listeners {
  /** It runs again: with restored data, or after an error. */
  restarted(error?: unknown): void
  ended(error: unknown): void
}

const late = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })

/**
 * Starts an instance, and restarts it when it requests that or had an error. When it cannot start with a restored backup, it starts
 * with the previous data; when that fails too, `ended` is called.
 */
export async function keepRunning(options: StartOptions, on: Listeners): Promise<Running> {
  let instance = await startServer(options)
  let isClosed = false
  /** False while it is closed to start again: the database cannot be asked then. */
  let isOpen = true
  let failure = Promise.withResolvers<{ readonly error: unknown }>()
  const { url } = instance
  const { port, sshPort } = instance.context().config
  const again = { ...options, port, ...(sshPort === undefined ? {} : { sshPort }) }
  const follow = async (): Promise<void> => {
    for (;;) {
      const failed = await Promise.race([instance.restartAsked, failure.promise])
      if (isClosed) return
      isOpen = false
      if (failed) await Promise.race([instance.close().catch(() => undefined), late(CLOSE_WITHIN_MS)])
      else await instance.close()
      failure = Promise.withResolvers()
      instance = await startServer(again).catch(() => startServer(again))
      if (isClosed) {
        await instance.close()
        return
      }
      isOpen = true
      on.restarted(failed?.error)
    }
  }
  follow().catch(on.ended)
  return {
    url,
    certificate: () => instance.context().config.ownCertificate?.pem,
    ownerSession: () => instance.ownerSession(),
    runningWork: () => (isOpen ? instance.runningWork() : []),
    failedPipelines: () => (isOpen ? instance.failedPipelines() : []),
    builtInRunner: {
      isPaused: () => (isOpen ? instance.builtInRunner.isPaused() : undefined),
      setPaused: (paused) => {
        if (isOpen) instance.builtInRunner.setPaused(paused)
      },
    },
    clone: (given) => instance.clone(given),
    wakeUp: () => {
      if (isOpen) instance.wakeUp()
    },
    isOpen: () => isOpen,
    failed: (error) => {
      instance.context().log.fatal({ err: error }, 'an error that nothing caught; the instance starts again')
      failure.resolve({ error })
    },
    close: () => {
      isClosed = true
      isOpen = false
      return instance.close()
    },
  }
}
