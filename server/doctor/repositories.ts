import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { damageIn } from '../git/upkeep/connectivity.ts'
import { repoAt } from '../git/process/engine.ts'
import { HALF_MADE, halfMadeBeside, leftoversIn, removeLeftovers } from '../git/upkeep/leftovers.ts'
import type { Git } from '../git/types.ts'
import type { Finding, Patient } from './finding.ts'
import { repositoryRows } from './store.ts'

/** Deeper than any repository lies. */
const DEPTH = 5

/** Rows without a repository, repositories without a row, what ended programs left, and, where asked for, every object. */
export async function checkRepositories(patient: Patient): Promise<Finding[]> {
  const findings: Finding[] = []
  const known = new Set<string>()
  for (const { owner, storage, disk_path, state } of repositoryRows(patient.db)) {
    const folder = patient.storages.get(storage)
    if (folder === undefined) {
      findings.push({
        check: 'storages',
        sentence: `${owner} lies in the storage "${storage}", which is not known.`,
      })
      continue
    }
    const gitDir = join(folder, disk_path)
    known.add(gitDir)
    if (!existsSync(join(gitDir, 'HEAD'))) {
      const isBeingMade = state !== 'ready'
      const sentence = isBeingMade
        ? `${owner} has no repository yet; the next start goes on making it.`
        : `${owner} has no repository at ${gitDir}; restore a backup.`
      findings.push({ check: 'repositories', sentence })
      continue
    }
    findings.push(...(await leftIn(owner, gitDir)))
    if (patient.deep) findings.push(...(await damageOf(owner, gitDir, patient.deep)))
  }
  for (const [name, folder] of patient.storages) {
    if (existsSync(folder)) findings.push(...(await strangers(folder, known)))
    else
      findings.push({
        check: 'storages',
        sentence: `The folder ${folder} of the storage "${name}" is not there.`,
      })
  }
  return findings
}

async function leftIn(owner: string, gitDir: string): Promise<Finding[]> {
  const files = [...(await leftoversIn(gitDir)), ...(await halfMadeBeside(gitDir))]
  if (files.length === 0) return []
  const sentence = `${owner} has ${files.length} files that ended git programs left, such as ${files[0]}.`
  return [{ check: 'locks', sentence, repair: () => removeLeftovers(files) }]
}

async function damageOf(owner: string, gitDir: string, git: Git): Promise<Finding[]> {
  const line = await damageIn(repoAt(git, gitDir, gitDir))
  if (line === undefined) return []
  return [{ check: 'objects', sentence: `${owner} is damaged: ${line}; restore a backup.` }]
}

function halfMade(path: string): Finding {
  const sentence = `The folder ${path} was to become a repository, or was one that was removed.`
  return { check: 'locks', sentence, repair: () => removeLeftovers([path]) }
}

/** Repositories that no row names. They may be somebody's only copy, so a person decides. */
async function strangers(folder: string, known: ReadonlySet<string>): Promise<Finding[]> {
  const found: Finding[] = []
  const walk = async (dir: string, depth: number): Promise<void> => {
    for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
      const path = join(dir, entry.name)
      if (!entry.isDirectory() || known.has(path) || entry.name.startsWith('.')) continue
      if (/\.git(\.|$)/.test(entry.name)) {
        const isPart = [...known].some(
          (one) => path.startsWith(`${one}.new-`) || path.startsWith(`${one}.deleted-`),
        )
        if (isPart) continue
        if (HALF_MADE.test(entry.name)) found.push(halfMade(path))
        else found.push({ check: 'orphans', sentence: `No row names the repository ${path}.` })
      } else if (depth > 0) await walk(path, depth - 1)
    }
  }
  await walk(folder, DEPTH)
  return found
}
