import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

import { isDataDirName } from '../config.ts'
import { StartupError } from '../lib/fail.ts'
import { isAccessibleToOthers } from '../lib/files/private-folder.ts'
import { SEALED_COLUMNS, SEALED_MAPS, type Purpose } from '../lib/security/sealed-columns.ts'
import { openWith, readKey, VERSION } from '../lib/security/sealing.ts'
import type { Finding, ExaminedData } from './finding.ts'
import { failedJobs, texts, unreadyRepositories } from './store.ts'

/** Checks the database file, and that it belongs to the repositories. */
export function checkDatabase({ db, paths }: ExaminedData): Finding[] {
  const lines = [...db.damage(), ...db.danglingRows()]
  const findings: Finding[] = lines.map((line) => ({
    check: 'database',
    sentence: `The database is damaged: ${line}; restore a backup.`,
  }))
  try {
    db.checkRepositoriesBelong(paths.database, paths.repositories)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    findings.push({ check: 'database', sentence: error.message })
  }
  return findings
}

/** Finds files that other users of the machine may read. */
export function checkPermissions({ dataDir, storages }: ExaminedData): Finding[] {
  if (process.platform === 'win32') return []
  const inside = readdirSync(dataDir)
    .filter((name) => isDataDirName(name))
    .map((name) => join(dataDir, name))
  // A closed folder protects its contents.
  const paths = [...(isAccessibleToOthers(dataDir) ? [dataDir, ...inside] : []), ...storages.values()]
  return [...new Set(paths)]
    .filter((path) => isAccessibleToOthers(path) && isReachable(path, dataDir))
    .map((path) => ({
      check: 'permissions',
      sentence: `Others may read ${path}.`,
      repair: () => chmodSync(path, lstatSync(path).mode & 0o700),
    }))
}

function isReachable(path: string, dataDir: string): boolean {
  return path === dataDir || !path.startsWith(join(dataDir, '/')) || isAccessibleToOthers(dataDir)
}

/** Checks that the key of the instance exists, and that it opens all sealed values. */
export function checkKeys({ db, paths }: ExaminedData): Finding[] {
  const columns = sealedIn(db)
  const sealed = columns.reduce((sum, { values }) => sum + values.length, 0)
  if (sealed === 0) return []
  const key = readKey(paths.secretKey)
  if (!key) {
    const sentence = `The key ${paths.secretKey} of ${sealed} sealed values is missing; restore it.`
    return [{ check: 'keys', sentence }]
  }
  return columns.flatMap(({ name, values }) => {
    const unreadable = values.filter(({ text, purpose }) => !openWith(key, text, purpose)).length
    const sentence = `${unreadable} of ${values.length} sealed values of ${name} do not open with the key in ${paths.secretKey}.`
    return unreadable === 0 ? [] : [{ check: 'keys', sentence }]
  })
}

interface SealedColumn {
  readonly name: string
  readonly values: readonly { readonly text: string; readonly purpose: Purpose }[]
}

function sealedIn(db: ExaminedData['db']): SealedColumn[] {
  const isSealed = ({ text }: { text: string }): boolean => text.startsWith(VERSION)
  const values = SEALED_COLUMNS.map(({ table, column, purpose }) => ({
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
  return [...values, ...maps]
}

/** Finds failed jobs and unfinished repositories. */
export function checkWork({ db }: ExaminedData): Finding[] {
  const failed = failedJobs(db)
  const pending = unreadyRepositories(db)
  return [
    ...failed.map(({ name, n, error }) => ({
      check: 'jobs',
      sentence: `${n} jobs ${name} failed permanently: ${error?.split('\n')[0] ?? 'no reason is known'}.`,
    })),
    ...pending
      .filter(({ n }) => n > 0)
      .map(({ what, n }) => ({
        check: 'unfinished',
        sentence: `${n} ${what} are not finished; the next start continues.`,
      })),
  ]
}
