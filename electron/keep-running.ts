import {
  startServer,
  type FailedPipeline,
  type Instance,
  type RunningWork,
  type StartOptions,
} from '../server/index.ts'

/** The maximum time for closing an instance after an error; it might never finish. */
const MAX_CLOSE_MS = 5000

/** The running instance. After a restart it is another one at the same address. */
export interface Running {
  readonly url: string
  /** The current certificate in PEM; undefined over plain HTTP. */
  certificate(): string | undefined
  ownerSession(): ReturnType<Instance['ownerSession']>
  /** Returns the work that the end of the instance would interrupt. */
  runningWork(): readonly RunningWork[]
  failedPipelines(): readonly FailedPipeline[]
  readonly builtInRunner: Instance['builtInRunner']
  readonly clone: Instance['clone']
  /** Must be called after the computer was asleep. */
  wakeUp(): void
  /** Returns false while the instance restarts, and after its end. */
  isOpen(): boolean
  /** Logs an uncaught error and restarts the instance. */
  failed(error: unknown): void
  close(): Promise<void>
}

interface Listeners {
  /** Called after a restart: with restored data, or after an error. */
  restarted(error?: unknown): void
  ended(error: unknown): void
}

const timeout = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })

/**
 * Starts an instance, and restarts it at its own request or after an error. If it cannot start with a restored
 * backup, the second try starts with the previous data. If that fails as well, `ended` is called.
 */
export async function keepRunning(options: StartOptions, on: Listeners): Promise<Running> {
  let instance = await startServer(options)
  let isClosed = false
  /** False while the instance is closed for a restart, because its database cannot be used then. */
  let isOpen = true
  let failure = Promise.withResolvers<{ readonly error: unknown }>()
  const { url } = instance
  const { port, sshPort } = instance.context().config
  const restartOptions = { ...options, port, ...(sshPort === undefined ? {} : { sshPort }) }
  const restartLoop = async (): Promise<void> => {
    for (;;) {
      const error = await Promise.race([instance.restartRequested, failure.promise])
      if (isClosed) return
      isOpen = false
      if (error) await Promise.race([instance.close().catch(() => undefined), timeout(MAX_CLOSE_MS)])
      else await instance.close()
      failure = Promise.withResolvers()
      instance = await startServer(restartOptions).catch(() => startServer(restartOptions))
      if (isClosed) {
        await instance.close()
        return
      }
      isOpen = true
      on.restarted(error?.error)
    }
  }
  restartLoop().catch(on.ended)
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
    clone: (request) => instance.clone(request),
    wakeUp: () => {
      if (isOpen) instance.wakeUp()
    },
    isOpen: () => isOpen,
    failed: (error) => {
      instance.context().log.fatal({ err: error }, 'an uncaught error; the instance restarts')
      failure.resolve({ error })
    },
    close: () => {
      isClosed = true
      isOpen = false
      return instance.close()
    },
  }
}
