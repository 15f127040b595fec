import type { AddressInfo } from 'node:net'

import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll } from 'vitest'

/** A mail as the server took it. */
export interface TakenMail {
  readonly from: string
  readonly to: string[]
  /** As it came, header and all. */
  readonly source: string
  /** User name of who signed in. */
  readonly user: string | undefined
  readonly isEncrypted: boolean
}

/** A real mail server on a port of this machine; closed after the test file. */
export async function mailServer(
  options: SMTPServerOptions = {},
): Promise<{ port: number; mails: TakenMail[] }> {
  const mails: TakenMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map((one) => one.address),
          source: Buffer.concat(parts).toString(),
          user: session.user as string | undefined,
          isEncrypted: session.secure,
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)))
  return { port: (server.server.address() as AddressInfo).port, mails }
}
