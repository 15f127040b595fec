import { readFileSync } from 'node:fs'

import { InstanceClient } from '../client.ts'
import { requestOf } from './request.ts'

/**
 * The program `release-cli` for jobs of the built-in runner, on machines where it is not installed. It creates the
 * release of a job with the job's token. The first two arguments are the address of the instance and the file of its
 * certificate (empty over plain HTTP), followed by the command line.
 */
async function main([instance, certificate, ...args]: readonly string[]): Promise<number> {
  try {
    const { call, successMessage } = requestOf(args, { folder: process.cwd(), env: process.env })
    const client = new InstanceClient(
      instance!,
      certificate ? { pem: readFileSync(certificate, 'utf8') } : undefined,
    )
    if (successMessage === 'Release created') process.stdout.write('Creating Release...\n')
    const { status, body } = await client.call(call)
    client.close()
    const answer = JSON.parse(body.toString()) as { message?: unknown; error?: unknown; name?: string }
    if (status >= 300) throw new Error(refusalOf(status, answer.message ?? answer.error))
    const output =
      successMessage === '' ? JSON.stringify(answer, null, 2) : `${successMessage}: ${answer.name}`
    process.stdout.write(`${output}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`release-cli: ${(error as Error).message}\n`)
    return 1
  }
}

/** The error for a refused request: its status and message. Some messages already begin with the status. */
function refusalOf(status: number, message: unknown): string {
  const text = typeof message === 'string' ? message : JSON.stringify(message)
  return text.startsWith(String(status)) ? text : `${status} ${text}`
}

process.exitCode = await main(process.argv.slice(2))
