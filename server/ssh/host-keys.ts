import { generateKeyPair } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { writeDurably } from '../lib/files/durable-file.ts'
import { StartupError } from '../lib/fail.ts'
import { makeSshKeyPair } from '../lib/ssh/key-pair.ts'

/**
 * The host keys in the data folder, created at the first start. Throws StartupError when they cannot be read or
 * written.
 */
export async function hostKeys(folder: string): Promise<string[]> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const ed25519 = await loadOrCreate(folder, 'ssh_host_ed25519_key', async () => {
      // Not created with ssh2, which cannot read one in two hundred of the keys that it creates.
      return makeSshKeyPair('deskforge').privateKey
    })
    const rsa = await loadOrCreate(folder, 'ssh_host_rsa_key', makeRsa)
    return [ed25519, rsa]
  } catch (error) {
    throw new StartupError(`The SSH host keys in ${folder} cannot be used: ${(error as Error).message}.`)
  }
}

async function loadOrCreate(folder: string, name: string, make: () => Promise<string>): Promise<string> {
  const file = join(folder, name)
  const present = readIfExists(file)
  if (present !== undefined) return present
  const newKey = await make()
  // Written completely or not at all.
  writeDurably(file, newKey)
  return newKey
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Generated outside of the event loop, because it takes a moment. */
async function makeRsa(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3072 })
  return privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
}
