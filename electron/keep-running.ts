import { startServer, type Instance, type StartOptions } from '../server/index.ts'

/** The instance that runs at present; after it was put back to a backup it is another one, at the same address. */
export interface Running {
  readonly url: string
  /** What it shows just now, in PEM; undefined over plain HTTP. */
  certificate(): string | undefined
  ownerSession(): ReturnType<Instance['ownerSession']>
  close(): Promise<void>
}

/**
 * Starts an instance, and starts it anew whenever it asks for that. One that cannot start with what was restored starts with what
 * was there before; where that fails too, `onEnd` hears of it.
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
    close: () => {
      isClosed = true
      return instance.close()
    },
  }
}
