import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { basename, join } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

import { withDefaultFlags } from './v8-flags.ts'

/** The time after a start, in milliseconds, when the functions that it called are stored. */
const STORE_MS = 4000

/**
 * Runs a script of the build and returns its value; `scripts/lib/start-script.ts` writes the module that calls this. Node stores the
 * code of a module as soon as it is compiled, without the functions inside. This stores the script after the start, with all
 * functions that were called, so that the next start compiles none of them.
 */
export function runScript(filename: string): unknown {
  const folder = getCompileCacheDir()
  const stored = folder === undefined ? undefined : join(folder, `${basename(filename)}.bin`)
  const cachedData = stored === undefined ? undefined : readChecked(stored)
  const script = new Script(readFileSync(filename, 'latin1'), { filename, ...(cachedData && { cachedData }) })
  if (stored !== undefined && script.cachedDataRejected !== false) storeLater(script, stored)
  return script.runInThisContext()
}

/** Stores the script once, some time after the start or when the process ends. */
function storeLater(script: Script, file: string): void {
  const store = (): void => {
    process.off('exit', store)
    clearTimeout(timer)
    writeChecked(
      file,
      withDefaultFlags(() => script.createCachedData()),
    )
  }
  const timer = setTimeout(store, STORE_MS).unref()
  process.on('exit', store)
}

/** Reads a file that begins with the checksum of the rest. Returns undefined if it is missing or damaged. */
function readChecked(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file)
    const rest = bytes.subarray(4)
    return bytes.readUInt32LE() === crc32(rest) ? rest : undefined
  } catch {
    return undefined
  }
}

function writeChecked(file: string, content: Buffer): void {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(crc32(content))
  try {
    writeFileSync(`${file}.new`, Buffer.concat([checksum, content]))
    renameSync(`${file}.new`, file)
  } catch {
    // The cache is optional, so the instance continues.
  }
}
