import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

import { dataPaths } from './config.ts'
import { lockDataDir } from './db/lock.ts'
import { resealDatabase, type Reseal } from './db/reseal.ts'
import { renameDurably, writeDurably } from './lib/files/durable-file.ts'
import { StartupError } from './lib/fail.ts'
import { SEALED_FILES } from './lib/security/sealed-columns.ts'
import { createKey, openWith, readKey, sealWith, VERSION } from './lib/security/sealing.ts'

type Paths = Pick<ReturnType<typeof dataPaths>, 'database' | 'secretKey' | 'secureFiles'>

/** The result of a rotation. */
export interface RotationResult {
  /** Values and files that were sealed with the new key. */
  count: number
  /** Values that neither key opens; they are unchanged. */
  unreadable: number
}

/** The file of the new key until all values are sealed with it. */
const nextKey = ({ secretKey }: Paths): string => `${secretKey}.next`

/**
 * Gives the instance a new key, or continues an interrupted rotation. The new key is stored next to the old one until
 * all values are sealed with it; then a rename replaces the old key. So at every moment one of the two stored keys opens
 * each value. Every step can be repeated. No other process may use the folder during this time. Yields after each step.
 */
export function* rotation(paths: Paths): Generator<string, RotationResult> {
  const result: RotationResult = { count: 0, unreadable: 0 }
  const old = readKey(paths.secretKey)
  if (!old) {
    if (existsSync(nextKey(paths))) renameDurably(nextKey(paths), paths.secretKey)
    return result
  }
  const newKey = readKey(nextKey(paths)) ?? createKey(nextKey(paths))
  yield 'key'
  const reseal: Reseal = (sealed, purpose) => {
    if (!sealed.startsWith(VERSION) || openWith(newKey, sealed, purpose)) return sealed
    const plain = openWith(old, sealed, purpose)
    if (plain) result.count += 1
    else result.unreadable += 1
    return plain ? sealWith(newKey, plain, purpose) : sealed
  }
  for (const file of sealedFiles(paths.secureFiles)) {
    const sealed = readFileSync(file, 'utf8')
    const resealed = reseal(sealed, `${SEALED_FILES}:${basename(file)}`)
    if (resealed !== sealed) writeDurably(file, resealed)
    yield 'file'
  }
  resealDatabase(paths.database, reseal)
  yield 'database'
  renameDurably(nextKey(paths), paths.secretKey)
  return result
}

/** `deskforge rotate-key`. Throws StartupError when there is no instance or it is running. */
export function rotateKeyCommand(dataDir: string): void {
  const paths = dataPaths(dataDir)
  if (!existsSync(paths.database)) throw new StartupError(`There is no instance in ${dataDir}.`)
  const lock = lockDataDir(dataDir)
  try {
    const { count, unreadable } = rotateKey(paths)
    process.stdout.write(`The instance has a new key; ${count} values were sealed with it.\n`)
    if (unreadable > 0)
      process.stdout.write(
        `${unreadable} values do not open with the old key or the new one; they are unchanged.\n`,
      )
  } finally {
    lock.release()
  }
}

/** Runs all steps of a rotation. */
export function rotateKey(paths: Paths): RotationResult {
  const steps = rotation(paths)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Finishes an interrupted rotation; undefined when there is none. */
export function finishRotation(paths: Paths): RotationResult | undefined {
  return existsSync(nextKey(paths)) && existsSync(paths.database) ? rotateKey(paths) : undefined
}

/** Lists the complete secure files. Unfinished uploads (`.part`) are deleted, not sealed. */
function sealedFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.endsWith('.part'))
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}
