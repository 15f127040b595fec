import { generateKeyPair } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { writeDurably } from '../lib/files/durable-file.ts'
import { StartupError } from '../lib/fail.ts'
import { makeSshKeyPair } from '../lib/ssh/key-pair.ts'

/**
 * Returns the host keys in a folder, and creates missing ones. Throws StartupError when they cannot be read or written.
 */
export async function hostKeys(folder: string): Promise<string[]> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const ed25519 = await loadOrCreate(folder, 'ssh_host_ed25519_key', async () => {
      // ssh2 can create keys too, but it cannot read one in two hundred of them.
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
  const existing = readIfExists(file)
  if (existing !== undefined) return existing
  const newKey = await make()
  // The file is written completely or not at all.
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

/** Generates the key in the thread pool, because it takes too long for the event loop. */
async function makeRsa(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 3072 })
  return privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
}
