import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { isOfDataDir } from '../config.ts'
import { StartupError } from '../lib/fail.ts'
import { isOpen } from '../lib/files/private-folder.ts'
import { SEALED_COLUMNS, SEALED_MAPS, type Purpose } from '../lib/security/sealed-columns.ts'
import { openWith, readKey, VERSION } from '../lib/security/sealing.ts'
import type { Finding, Patient } from './finding.ts'
import { failedJobs, texts, unreadyRepositories } from './store.ts'

/** The file of the database, and whether it is that of the repositories. */
export function checkDatabase({ db, paths }: Patient): Finding[] {
  const lines = [...db.damage(), ...db.danglingRows()]
  const found: Finding[] = lines.map((line) => ({
    check: 'database',
    sentence: `The database is damaged: ${line}; restore a backup.`,
  }))
  try {
    db.insistOnRepositories(paths.database, paths.repositories)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    found.push({ check: 'database', sentence: error.message })
  }
  return found
}

/** What other users of the machine may read. */
export function checkRights({ dataDir, storages }: Patient): Finding[] {
  if (process.platform === 'win32') return []
  const inside = readdirSync(dataDir)
    .filter((name) => isOfDataDir(name))
    .map((name) => join(dataDir, name))
  // Whoever may not enter the folder does not reach what is in it.
  const paths = [...(isOpen(dataDir) ? [dataDir, ...inside] : []), ...storages.values()]
  return [...new Set(paths)]
    .filter((path) => isOpen(path) && isReachable(path, dataDir))
    .map((path) => ({
      check: 'rights',
      sentence: `Others may read ${path}.`,
      repair: () => chmodSync(path, lstatSync(path).mode & 0o700),
    }))
}

function isReachable(path: string, dataDir: string): boolean {
  return path === dataDir || !path.startsWith(join(dataDir, '/')) || isOpen(dataDir)
}

/** The key of what is sealed, and whether it opens all of it. */
export function checkKeys({ db, paths }: Patient): Finding[] {
  const places = sealedIn(db)
  const sealed = places.reduce((sum, { values }) => sum + values.length, 0)
  if (sealed === 0) return []
  const key = readKey(paths.secretKey)
  if (!key) {
    const sentence = `The key ${paths.secretKey} of ${sealed} sealed values is missing; restore it.`
    return [{ check: 'keys', sentence }]
  }
  return places.flatMap(({ name, values }) => {
    const shut = values.filter(({ text, purpose }) => !openWith(key, text, purpose)).length
    const sentence = `${shut} of ${values.length} sealed values of ${name} do not open with the key in ${paths.secretKey}.`
    return shut === 0 ? [] : [{ check: 'keys', sentence }]
  })
}

interface SealedColumn {
  readonly name: string
  readonly values: readonly { readonly text: string; readonly purpose: Purpose }[]
}

function sealedIn(db: Patient['db']): SealedColumn[] {
  const isSealed = ({ text }: { text: string }): boolean => text.startsWith(VERSION)
  const columns = SEALED_COLUMNS.map(({ table, column, purpose }) => ({
    name: `${table}.${column}`,
    values: texts(db, table, column)
      .map((text) => ({ text, purpose }))
      .filter(isSealed),
  }))
  const maps = SEALED_MAPS.map(({ table, column, purpose }) => ({
    name: `${table}.${column}`,
    values: texts(db, table, column)
      .flatMap((text) => Object.entries(JSON.parse(text) as Record<string, string>))
      .map(([name, text]) => ({ text, purpose: `${purpose}.${name}` as const }))
      .filter(isSealed),
  }))
  return [...columns, ...maps]
}

/** Work that was given up or never finished. */
export function checkWork({ db }: Patient): Finding[] {
  const dead = failedJobs(db)
  const pending = unreadyRepositories(db)
  return [
    ...dead.map(({ name, n, error }) => ({
      check: 'jobs',
      sentence: `${n} jobs ${name} were given up: ${error?.split('\n')[0] ?? 'no reason is known'}.`,
    })),
    ...pending
      .filter(({ n }) => n > 0)
      .map(({ what, n }) => ({
        check: 'unfinished',
        sentence: `${n} ${what} are not finished; the next start goes on.`,
      })),
  ]
}
