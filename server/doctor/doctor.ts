import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { dataPaths } from '../config.ts'
import { Inspection } from '../db/inspection.ts'
import { lockDataDir, DataDirInUse, type DataDirLock } from '../db/lock.ts'
import { discoverGit } from '../git/process/discover.ts'
import { createGit } from '../git/process/engine.ts'
import type { Git } from '../git/types.ts'
import { StartupError } from '../lib/fail.ts'
import { errorCode } from '../lib/files/error-code.ts'
import { checkFiles } from './files.ts'
import type { Finding, ExaminedData } from './finding.ts'
import { checkDatabase, checkKeys, checkPermissions, checkWork } from './instance.ts'
import { checkRepositories } from './repositories.ts'
import { storageRows } from './store.ts'

/** The options of the command. */
export interface DoctorCommand {
  readonly dataDir: string
  readonly storages: Readonly<Record<string, string>>
  readonly repair: boolean
  readonly deep: boolean
  readonly json: boolean
  readonly gitPath: string | undefined
  readonly say: (line: string) => void
}

const NOT_READABLE =
  'The running instance does not let other programs read its database, because its disk has quotas; stop it first.'

type ReportedFinding = Omit<Finding, 'repair'> & { readonly state: 'found' | 'can be repaired' | 'repaired' }

/**
 * Examines a data folder and prints findings. Returns the exit code: 0 without findings (or when all were repaired), 1
 * with findings, 2 when the folder cannot be examined. Changes nothing without `repair`, which needs a stopped
 * instance.
 */
export async function doctorCommand(command: DoctorCommand): Promise<number> {
  const { dataDir, json, say } = command
  try {
    const { outcomes, notes } = await examine(command)
    const unrepaired = outcomes.filter(({ state }) => state !== 'repaired')
    if (json) say(JSON.stringify({ data_dir: dataDir, notes, findings: outcomes }))
    else for (const line of [...notes, ...tableOf(outcomes)]) say(line)
    return unrepaired.length > 0 ? 1 : 0
  } catch (error) {
    const sentence =
      error instanceof StartupError
        ? error.message
        : `The data folder cannot be examined: ${(error as Error).message}.`
    if (json) say(JSON.stringify({ data_dir: dataDir, error: sentence }))
    else process.stderr.write(`${sentence}\n`)
    return 2
  }
}

async function examine(command: DoctorCommand): Promise<{ outcomes: ReportedFinding[]; notes: string[] }> {
  const { dataDir, repair, deep } = command
  const paths = dataPaths(dataDir)
  if (!existsSync(paths.database)) throw new StartupError(`There is no database in ${dataDir}.`)
  const notes: string[] = []
  const lock = tryLock(dataDir, repair, notes)
  let db: Inspection | undefined
  // A running instance has its own home.
  const home = mkdtempSync(join(tmpdir(), 'deskforge-doctor-'))
  let git: Git | undefined
  try {
    if (deep) {
      const { binary } = await discoverGit({ setting: command.gitPath ?? null, bundled: null })
      git = createGit({ binary, home })
    }
    db = inspect(paths.database, lock === undefined)
    const data: ExaminedData = {
      dataDir,
      paths,
      db,
      storages: storagesOf(db, paths.repositories, command.storages),
      deep: git,
    }
    const findings = [
      ...checkDatabase(data),
      ...checkKeys(data),
      ...checkPermissions(data),
      ...(await checkRepositories(data)),
      ...checkFiles(data),
      ...checkWork(data),
    ]
    return { outcomes: await repairFindings(findings, repair), notes }
  } finally {
    db?.close()
    await git?.close()
    rmSync(home, { recursive: true, force: true })
    lock?.release()
  }
}

/** Locks the data folder. A running instance is examined without the lock; its current work looks unfinished then. */
function tryLock(dataDir: string, repair: boolean, notes: string[]): DataDirLock | undefined {
  try {
    return lockDataDir(dataDir, 0)
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error
    if (repair) throw new StartupError(`${error.message.slice(0, -1)}; stop it before anything is repaired.`)
    notes.push(`${error.message} Its current work may look unfinished.`)
    return undefined
  }
}

function inspect(database: string, isRunning: boolean): Inspection {
  try {
    return new Inspection(database)
  } catch (error) {
    if (isRunning && errorCode(error) === 'SQLITE_BUSY') throw new StartupError(NOT_READABLE)
    throw error
  }
}

function storagesOf(
  db: Inspection,
  repositories: string,
  configured: Readonly<Record<string, string>>,
): Map<string, string> {
  const added = storageRows(db)
  return new Map([
    ...added.map(({ name, folder }): [string, string] => [name, folder]),
    ...Object.entries(configured),
    ['default', repositories],
  ])
}

async function repairFindings(findings: readonly Finding[], repair: boolean): Promise<ReportedFinding[]> {
  const outcomes: ReportedFinding[] = []
  for (const { check, sentence, repair: runRepair } of findings) {
    if (runRepair && repair) await runRepair()
    const state = runRepair === undefined ? 'found' : repair ? 'repaired' : 'can be repaired'
    outcomes.push({ check, sentence, state })
  }
  return outcomes
}

function tableOf(outcomes: readonly ReportedFinding[]): string[] {
  if (outcomes.length === 0) return ['Everything is as it should be.']
  const lines = outcomes.map(
    ({ check, state, sentence }) => `${check.padEnd(13)} ${state.padEnd(16)} ${sentence}`,
  )
  const isRepairable = outcomes.some(({ state }) => state === 'can be repaired')
  return [
    ...lines,
    ...(isRepairable ? ['deskforge doctor --repair repairs the findings that can be repaired.'] : []),
  ]
}
