import {
  type Project,
  projectById,
  updateProjectRow,
  defaultBranchProtection,
} from '../../../projects/index.ts'
import { DEVELOPER, MAINTAINER } from '../../../../policy/levels.ts'
import { tx } from '../../../../db/database.ts'
import { requireSignatures } from '../../../repository/index.ts'
import { flag, recordIn, records, text, integer, type Fields } from '../../hosts/answers.ts'
import { personIn } from '../people.ts'
import { repoPath, importRecord, forEachRecord, type Work, type Stage } from '../work.ts'

/** Stage 2: labels, milestones and releases. */
export const labels: Stage = {
  name: 'labels',
  run: (work) =>
    forEachRecord(work, { path: `${repoPath(work)}/labels`, stat: 'label' }, (item) => {
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
    forEachRecord(
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
    forEachRecord(
      work,
      { path: `${repoPath(work)}/releases`, stat: 'release', counts: isPublished },
      async (item) => {
        // Only its authors see a draft, which may have no tag yet.
        if (isPublished(item)) await importRelease(work, item)
      },
    ),
}

const isPublished = (item: Fields): boolean => !flag(item, 'draft')

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

/** The key of a record: its ID, or else its number, name or source. */
export function keyOf(item: Fields): string {
  const name = text(item, 'name') ?? text(item, 'tag_name')
  return String(
    integer(item, 'id') ?? integer(item, 'number') ?? name ?? text(recordIn(item, 'source'), 'url'),
  )
}

/** Stage 11: protected branches, and the project settings that their rules require. */
export const protectedBranches: Stage = {
  name: 'protected_branches',
  run(work) {
    const list = {
      path: `${repoPath(work)}/branches`,
      query: { protected: 'true' },
      stat: 'protected_branch',
      counts: isProtected,
    }
    return forEachRecord(work, list, (item) => (isProtected(item) ? importProtection(work, item) : undefined))
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
    const rules = await work.client.fetchRecord(
      `${repoPath(work)}/branches/${encodeURIComponent(name)}/protection`,
    )
    const { ctx, projectId } = work
    const project = projectById(ctx.db, projectId)
    if (!project) return null
    return tx(ctx.db, () => {
      if (name === project.default_branch) applyRulesToProject(work, project, rules)
      return work.landing.protectedBranch({
        source_key: name,
        name,
        ...levelsOf(work, project, rules),
        allow_force_push: isRuleEnabled(rules, 'allow_force_pushes'),
      })
    })
  })
}

const isRuleEnabled = (rules: Fields, name: string): boolean => flag(recordIn(rules, name), 'enabled')

/** Required reviews forbid pushes; everything else follows the default protection of the project. */
function levelsOf(work: Work, project: Project, rules: Fields): { push: 0 | 30 | 40; merge: 30 | 40 } {
  const protection = defaultBranchProtection(work.ctx, project)
  const requiresReviews = recordIn(rules, 'required_pull_request_reviews') !== null
  return {
    push: requiresReviews ? 0 : protection <= 1 ? DEVELOPER : MAINTAINER,
    merge: protection === 2 || protection === 4 ? MAINTAINER : DEVELOPER,
  } as { push: 0 | 30 | 40; merge: 30 | 40 }
}

function applyRulesToProject({ ctx }: Work, project: Project, rules: Fields): void {
  if (isRuleEnabled(rules, 'required_conversation_resolution'))
    updateProjectRow(ctx.db, project.id, { only_allow_merge_if_all_discussions_are_resolved: true })
  if (isRuleEnabled(rules, 'required_signatures')) requireSignatures(ctx.db, project.id, ctx.now)
}
