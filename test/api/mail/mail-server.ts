import type { AddressInfo } from 'node:net'

import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll } from 'vitest'

/** A mail as the server received it. */
export interface TakenMail {
  readonly from: string
  readonly to: string[]
  /** The raw mail with its header. */
  readonly source: string
  /** The user name of the sign-in. */
  readonly user: string | undefined
  readonly isEncrypted: boolean
}

/** Starts a real mail server on a local port. It stops after the test file. */
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
          to: rcptTo.map((recipient) => recipient.address),
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
