import { readFileSync } from 'node:fs'

import { InstanceClient } from '../client.ts'
import { requestOf } from './request.ts'

/**
 * The program `release-cli` for jobs of the built-in runner on machines without one. It creates the release of a job with the
 * job's token. Its first arguments are the address of the instance and the file of its certificate (empty over plain HTTP); the
 * rest is the command line.
 */
async function main([instance, certificate, ...args]: readonly string[]): Promise<number> {
  try {
    const { call, done } = requestOf(args, { folder: process.cwd(), env: process.env })
    const client = new InstanceClient(
      instance!,
      certificate ? { pem: readFileSync(certificate, 'utf8') } : undefined,
    )
    if (done === 'Release created') process.stdout.write('Creating Release...\n')
    const { status, body } = await client.call(call)
    client.close()
    const answer = JSON.parse(body.toString()) as { message?: unknown; error?: unknown; name?: string }
    if (status >= 300) throw new Error(refusalOf(status, answer.message ?? answer.error))
    process.stdout.write(done === '' ? `${JSON.stringify(answer, null, 2)}\n` : `${done}: ${answer.name}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`release-cli: ${(error as Error).message}\n`)
    return 1
  }
}

/** Some messages start with the status. */
function refusalOf(status: number, message: unknown): string {
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  return text.startsWith(String(status)) ? text : `${status} ${text}`
}

process.exitCode = await main(process.argv.slice(2))
