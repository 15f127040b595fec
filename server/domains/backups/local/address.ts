import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { storageProblem } from '../../../lib/files/storage-problem.ts'

/** How the command line finds a running instance: its address, and a token that only the owner of the folder can read. */
export interface LocalAddress {
  readonly url: string
  readonly token: string
}

/** Holds the address of this instance, once it listens. */
const holderOf = (db: Ctx['db']) => db.instance('backups.door', (): { door?: LocalAddress } => ({}))

const fileIn = (dataDir: string): string => join(dataDir, 'local.json')

/** Writes the address of this instance into the data folder; the returned function removes it. */
export function publishLocalAddress({ db, config }: Pick<Ctx, 'db' | 'config'>): () => void {
  const door = { url: config.ownUrl, token: randomBytes(32).toString('base64url') }
  holderOf(db).door = door
  rmSync(fileIn(config.dataDir), { force: true })
  try {
    writeFileSync(fileIn(config.dataDir), `${JSON.stringify(door)}\n`, { mode: 0o600 })
  } catch (error) {
    // On a full disk the instance works without it.
    if (!storageProblem(error)) throw error
    rmSync(fileIn(config.dataDir), { force: true })
  }
  return () => rmSync(fileIn(config.dataDir), { force: true })
}

/** The address of this instance. */
export function localAddressOf({ db }: Pick<Ctx, 'db'>): LocalAddress | undefined {
  return holderOf(db).door
}

/** The address of the instance of a data folder; undefined without one. */
export function localAddressIn(dataDir: string): LocalAddress | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as LocalAddress
  } catch {
    return undefined
  }
}
