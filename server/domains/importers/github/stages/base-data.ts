import {
  type Project,
  projectById,
  updateProjectRow,
  defaultBranchProtection,
} from '../../../projects/index.ts'
import { DEVELOPER, MAINTAINER } from '../../../../policy/levels.ts'
import { tx } from '../../../../db/database.ts'
import { requireSignatures } from '../../../repository/index.ts'
import { flag, inner, records, text, integer, type Fields } from '../../hosts/answers.ts'
import { personIn } from '../people.ts'
import { repoPath, importRecord, walk, type Work, type Stage } from '../work.ts'

/** Stage 2, in three parts: labels, milestones and releases. */
export const labels: Stage = {
  name: 'labels',
  run: (work) =>
    walk(work, { path: `${repoPath(work)}/labels`, stat: 'label' }, (item) => {
      const key = keyOf(item)
      const title = text(item, 'name') ?? ''
      return importRecord(work, { stat: 'label', mark: 'label', key, name: `Label ${title}` }, () =>
        work.landing.label({
          source_key: key,
          title,
          color: text(item, 'color'),
          description: text(item, 'description'),
        }),
      )
    }),
}

export const milestones: Stage = {
  name: 'milestones',
  run: (work) =>
    walk(
      work,
      { path: `${repoPath(work)}/milestones`, query: { state: 'all' }, stat: 'milestone' },
      (item) => {
        const key = keyOf(item)
        const title = text(item, 'title') ?? ''
        return importRecord(
          work,
          { stat: 'milestone', mark: 'milestone', key, name: `Milestone ${title}` },
          () =>
            work.landing.milestone({
              source_key: key,
              iid: integer(item, 'number') ?? 0,
              title,
              description: text(item, 'description'),
              state: text(item, 'state') === 'closed' ? 'closed' : 'active',
              due_date: text(item, 'due_on'),
              created_at: text(item, 'created_at') ?? work.ctx.now,
              updated_at: text(item, 'updated_at'),
            }),
        )
      },
    ),
}

export const releases: Stage = {
  name: 'releases',
  run: (work) =>
    walk(work, { path: `${repoPath(work)}/releases`, stat: 'release', counts: isOut }, async (item) => {
      // A draft is visible to its authors only, and may have no tag yet.
      if (isOut(item)) await importRelease(work, item)
    }),
}

const isOut = (item: Fields): boolean => !flag(item, 'draft')

async function importRelease(work: Work, item: Fields): Promise<void> {
  const key = keyOf(item)
  const tag = text(item, 'tag_name') ?? ''
  await importRecord(work, { stat: 'release', mark: 'release', key, name: `Release ${tag}` }, async () => {
    const created_at = text(item, 'created_at') ?? work.ctx.now
    return work.landing.release({
      source_key: key,
      tag,
      name: text(item, 'name'),
      description: text(item, 'body')?.trim() ? text(item, 'body') : `Release for tag ${tag}`,
      author: await personIn(work, item, 'author'),
      created_at,
      released_at: text(item, 'published_at') ?? created_at,
      links: records(item['assets']).map((asset) => ({
        name: text(asset, 'name') ?? '',
        url: text(asset, 'browser_download_url') ?? '',
      })),
    })
  })
}

/** The key of a record: its id, or its number when the id is missing. */
export function keyOf(item: Fields): string {
  const name = text(item, 'name') ?? text(item, 'tag_name')
  return String(integer(item, 'id') ?? integer(item, 'number') ?? name ?? text(inner(item, 'source'), 'url'))
}

/** Stage 11: protected branches, and the project settings that follow from their rules. */
export const protectedBranches: Stage = {
  name: 'protected_branches',
  run(work) {
    const list = {
      path: `${repoPath(work)}/branches`,
      query: { protected: 'true' },
      stat: 'protected_branch',
      counts: isProtected,
    }
    return walk(work, list, (item) => (isProtected(item) ? importProtection(work, item) : undefined))
  },
}

const isProtected = (item: Fields): boolean => flag(item, 'protected')

async function importProtection(work: Work, item: Fields): Promise<void> {
  const name = text(item, 'name') ?? ''
  const record = {
    stat: 'protected_branch',
    mark: 'protected_branch',
    key: name,
    name: `Protected branch ${name}`,
  }
  await importRecord(work, record, async () => {
    const rules = await work.client.one(`${repoPath(work)}/branches/${encodeURIComponent(name)}/protection`)
    const { ctx, projectId } = work
    const project = projectById(ctx.db, projectId)
    if (!project) return null
    return tx(ctx.db, () => {
      if (name === project.default_branch) applyToProject(work, project, rules)
      return work.landing.protectedBranch({
        source_key: name,
        name,
        ...levelsOf(work, project, rules),
        allow_force_push: isOn(rules, 'allow_force_pushes'),
      })
    })
  })
}

const isOn = (rules: Fields, name: string): boolean => flag(inner(rules, name), 'enabled')

/** Required reviews forbid pushes; everything else follows the default protection of the project. */
function levelsOf(work: Work, project: Project, rules: Fields): { push: 0 | 30 | 40; merge: 30 | 40 } {
  const protection = defaultBranchProtection(work.ctx, project)
  const isReviewed = inner(rules, 'required_pull_request_reviews') !== null
  return {
    push: isReviewed ? 0 : protection <= 1 ? DEVELOPER : MAINTAINER,
    merge: protection === 2 || protection === 4 ? MAINTAINER : DEVELOPER,
  } as { push: 0 | 30 | 40; merge: 30 | 40 }
}

function applyToProject({ ctx }: Work, project: Project, rules: Fields): void {
  if (isOn(rules, 'required_conversation_resolution'))
    updateProjectRow(ctx.db, project.id, { only_allow_merge_if_all_discussions_are_resolved: true })
  if (isOn(rules, 'required_signatures')) requireSignatures(ctx.db, project.id, ctx.now)
}
