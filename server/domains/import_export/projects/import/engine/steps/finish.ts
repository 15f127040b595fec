import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../../../../ctx.ts'
import { tx } from '../../../../../../db/database.ts'
import { listBranches } from '../../../../../../git/write/refs.ts'
import { writeHead } from '../../../../../../git/upkeep/repository.ts'
import { branchTip } from '../../../../../../git/read/revisions.ts'
import { finishRun } from '../../../../runs/service.ts'
import { namespaceById } from '../../../../../namespaces/index.ts'
import {
  projectById,
  protectDefaultBranch,
  renderDescription,
  repoOf,
  type ProjectColumns,
} from '../../../../../projects/index.ts'
import { visibilityFor } from '../../visibility.ts'
import type { Filling } from './filling.ts'

/** Attributes of a project are a few kilobytes, with long templates some hundred. */
const MAX_ATTRIBUTES = 512 * 1024

/**
 * The last step: what is shown first, who may push there, who may see it, and what the caller asked for instead of what the archive
 * says (spec administration 6.5). From then on the project can be used.
 */
export async function finish(filling: Filling, head: string | null): Promise<void> {
  const { ctx, project, run, folder } = filling
  const current = projectById(ctx.db, project.id)
  if (!current) return
  const overrides = JSON.parse(run.override_params) as Partial<ProjectColumns>
  const attributes = await attributesOf(folder)
  const wished = [
    overrides.default_branch,
    attributes['default_branch'],
    head,
    current.default_branch,
    'main',
    'master',
  ]
  const shown = await chooseHead(filling, wished)
  const rendered = await renderDescription(current.description)
  const visibility = await visibilityFor(ctx, project, folder)
  const bringsProtections = existsSync(join(folder, 'tree', 'project', 'protected_branches.ndjson'))
  tx(ctx.db, () => {
    const now = projectById(ctx.db, project.id)
    // Deleted or taken back meanwhile.
    if (now?.import_status !== 'started') return
    const columns = {
      description_html: rendered,
      visibility,
      ...overrides,
      ...(hasNoRunners(ctx, now.namespace_id) ? { shared_runners_enabled: false } : {}),
      empty_repo: shown === null,
      default_branch: shown ?? overrides.default_branch ?? now.default_branch,
      last_activity_at: ctx.now,
    }
    if (shown !== null && !bringsProtections) protectDefaultBranch(ctx, { ...now, ...columns })
    finishRun(ctx, project.id, { columns })
  })
}

/** The groups above keep shared runners off, whatever the archive says. */
function hasNoRunners(ctx: Ctx, namespaceId: number): boolean {
  return namespaceById(ctx.db, namespaceId)?.shared_runners_setting === 'disabled_and_unoverridable'
}

async function chooseHead({ ctx, project }: Filling, wished: readonly unknown[]): Promise<string | null> {
  const repo = repoOf(ctx, project)
  const named = wished.filter((name) => typeof name === 'string' && name !== '') as string[]
  for (const name of [...named, (await listBranches(repo))[0]?.name ?? '']) {
    if (name === '' || (await branchTip(repo, name)) === null) continue
    await writeHead(repo, name)
    return name
  }
  return null
}

async function attributesOf(folder: string): Promise<Readonly<Record<string, unknown>>> {
  for (const file of [join(folder, 'tree', 'project.json'), join(folder, 'project.json')]) {
    const found = await stat(file).catch(() => undefined)
    if (!found || found.size > MAX_ATTRIBUTES) continue
    try {
      const value: unknown = JSON.parse(await readFile(file, 'utf8'))
      return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
    } catch {
      return {}
    }
  }
  return {}
}
