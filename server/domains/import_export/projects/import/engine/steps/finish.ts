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
import type { Filling } from './emptied.ts'
import { VISIBILITY_RANK, type Visibility } from '../../../../../../policy/levels.ts'
import { settingsOf } from '../../../../../settings/index.ts'

/** Attributes of a project are a few kilobytes, with long templates some hundred. */
const MAX_ATTRIBUTES = 512 * 1024

/**
 * The visibility of an imported project: that of the archive, limited by the namespace; private if the settings
 * restrict it (spec administration 6.5). `folder`: the unpacked archive.
 */
export async function visibilityFor(ctx: Ctx, project: Project, folder: string): Promise<Visibility> {
  const declared = await levelIn(join(folder, 'tree', 'project.json'))
  const namespace = namespaceById(ctx.db, project.namespace_id)
  const widest = namespace?.kind === 'group' ? VISIBILITY_RANK[namespace.visibility] : Infinity
  const level = Math.min(declared, widest)
  const names = Object.keys(VISIBILITY_RANK) as Visibility[]
  const wanted = names.find((name) => VISIBILITY_RANK[name] === level) ?? 'private'
  return settingsOf(ctx).restricted_visibility_levels.includes(wanted) ? 'private' : wanted
}

async function levelIn(file: string): Promise<number> {
  const size = await stat(file).then(
    (stats) => stats.size,
    () => 0,
  )
  if (size === 0 || size > MAX_ATTRIBUTES) return 0
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
 * The last step: default branch, protection, visibility, and the overrides of the request (spec administration 6.5).
 * Then the project can be used.
 */
export async function finish(filling: Filling, head: string | null): Promise<void> {
  const { ctx, project, run, folder } = filling
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
  const defaultBranch = await chooseHead(filling, preferred)
  const rendered = await renderDescription(current.description)
  const visibility = await visibilityFor(ctx, project, folder)
  const bringsProtections = existsSync(join(folder, 'tree', 'project', 'protected_branches.ndjson'))
  tx(ctx.db, () => {
    const now = projectById(ctx.db, project.id)
    // The project was deleted or the import was canceled in the meantime.
    if (now?.import_status !== 'started') return
    const columns = {
      description_html: rendered,
      visibility,
      ...overrides,
      ...(hasNoRunners(ctx, now.namespace_id) ? { shared_runners_enabled: false } : {}),
      empty_repo: defaultBranch === null,
      default_branch: defaultBranch ?? overrides.default_branch ?? now.default_branch,
      last_activity_at: ctx.now,
    }
    if (defaultBranch !== null && !bringsProtections) protectDefaultBranch(ctx, { ...now, ...columns })
    finishRun(ctx, project.id, { columns })
  })
}

/** True if an ancestor group turns shared runners off. */
function hasNoRunners(ctx: Ctx, namespaceId: number): boolean {
  return namespaceById(ctx.db, namespaceId)?.shared_runners_setting === 'disabled_and_unoverridable'
}

async function chooseHead({ ctx, project }: Filling, preferred: readonly unknown[]): Promise<string | null> {
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
    if (!stats || stats.size > MAX_ATTRIBUTES) continue
    try {
      const value: unknown = JSON.parse(await readFile(file, 'utf8'))
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
    } catch {
      return {}
    }
  }
  return {}
}
