import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../../../../ctx.ts'
import { tx } from '../../../../../../db/database.ts'
import { listBranches } from '../../../../../../git/write/refs.ts'
import { writeHead } from '../../../../../../git/upkeep/repository.ts'
import { branchTip } from '../../../../../../git/read/revisions.ts'
import { finishRun } from '../../../../imports/runs.ts'
import { namespaceById } from '../../../../../namespaces/index.ts'
import {
  projectById,
  protectDefaultBranch,
  renderDescription,
  repoOf,
  type ProjectColumns,
  type Project,
} from '../../../../../projects/index.ts'
import type { ArchiveImport } from './empty-project.ts'
import { VISIBILITY_RANK, type Visibility } from '../../../../../../policy/levels.ts'
import { settingsOf } from '../../../../../settings/index.ts'

/** Maximum size of the attributes of a project. Usually they have a few kilobytes, with long templates some hundred. */
const MAX_ATTRIBUTES_BYTES = 512 * 1024

/**
 * The visibility of an imported project: that of the archive, limited by the namespace. Private if the
 * settings restrict that visibility (spec administration 6.5). `folder` is the unpacked archive.
 */
export async function visibilityFor(ctx: Ctx, project: Project, folder: string): Promise<Visibility> {
  const declared = await levelIn(join(folder, 'tree', 'project.json'))
  const namespace = namespaceById(ctx.db, project.namespace_id)
  const maximum = namespace?.kind === 'group' ? VISIBILITY_RANK[namespace.visibility] : Infinity
  const level = Math.min(declared, maximum)
  const names = Object.keys(VISIBILITY_RANK) as Visibility[]
  const visibility = names.find((name) => VISIBILITY_RANK[name] === level) ?? 'private'
  return settingsOf(ctx).restricted_visibility_levels.includes(visibility) ? 'private' : visibility
}

async function levelIn(file: string): Promise<number> {
  const size = await stat(file).then(
    (stats) => stats.size,
    () => 0,
  )
  if (size === 0 || size > MAX_ATTRIBUTES_BYTES) return 0
  try {
    const { visibility_level: level } = JSON.parse(await readFile(file, 'utf8')) as {
      visibility_level?: unknown
    }
    return typeof level === 'number' ? level : 0
  } catch {
    return 0
  }
}

/**
 * Finishes the import: sets default branch, protection, visibility and the overrides of the request (spec administration
 * 6.5). Then users can use the project.
 */
export async function finishImport(archiveImport: ArchiveImport, head: string | null): Promise<void> {
  const { ctx, project, run, folder } = archiveImport
  const current = projectById(ctx.db, project.id)
  if (!current) return
  const overrides = JSON.parse(run.override_params) as Partial<ProjectColumns>
  const attributes = await attributesOf(folder)
  const preferred = [
    overrides.default_branch,
    attributes['default_branch'],
    head,
    current.default_branch,
    'main',
    'master',
  ]
  const defaultBranch = await chooseHead(archiveImport, preferred)
  const description_html = await renderDescription(current.description)
  const visibility = await visibilityFor(ctx, project, folder)
  const hasProtections = existsSync(join(folder, 'tree', 'project', 'protected_branches.ndjson'))
  tx(ctx.db, () => {
    const importedProject = projectById(ctx.db, project.id)
    // The project was deleted or the import was canceled in the meantime.
    if (importedProject?.import_status !== 'started') return
    const columns = {
      description_html,
      visibility,
      ...overrides,
      ...(disablesSharedRunners(ctx, importedProject.namespace_id) ? { shared_runners_enabled: false } : {}),
      empty_repo: defaultBranch === null,
      default_branch: defaultBranch ?? overrides.default_branch ?? importedProject.default_branch,
      last_activity_at: ctx.now,
    }
    if (defaultBranch !== null && !hasProtections)
      protectDefaultBranch(ctx, { ...importedProject, ...columns })
    finishRun(ctx, project.id, { columns })
  })
}

/** Whether the group of a project disables shared runners for all its projects. */
function disablesSharedRunners(ctx: Ctx, namespaceId: number): boolean {
  return namespaceById(ctx.db, namespaceId)?.shared_runners_setting === 'disabled_and_unoverridable'
}

async function chooseHead(
  { ctx, project }: ArchiveImport,
  preferred: readonly unknown[],
): Promise<string | null> {
  const repo = repoOf(ctx, project)
  const names = preferred.filter((name) => typeof name === 'string' && name !== '') as string[]
  for (const name of [...names, (await listBranches(repo))[0]?.name ?? '']) {
    if (name === '' || (await branchTip(repo, name)) === null) continue
    await writeHead(repo, name)
    return name
  }
  return null
}

async function attributesOf(folder: string): Promise<Readonly<Record<string, unknown>>> {
  for (const file of [join(folder, 'tree', 'project.json'), join(folder, 'project.json')]) {
    const stats = await stat(file).catch(() => undefined)
    if (!stats || stats.size > MAX_ATTRIBUTES_BYTES) continue
    try {
      const value: unknown = JSON.parse(await readFile(file, 'utf8'))
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
    } catch {
      return {}
    }
  }
  return {}
}
