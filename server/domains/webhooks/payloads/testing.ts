import type { Ctx } from '../../../ctx.ts'
import { findCommit } from '../../../git/read/commits.ts'
import { listTags } from '../../../git/write/refs.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { addDays, isoDate } from '../../../lib/clock.ts'
import type { Group } from '../../groups/index.ts'
import { namespaceById, namespaceTreeIds } from '../../namespaces/index.ts'
import { type Project, projectsByIds, repoOf } from '../../projects/index.ts'
import type { HookEvent, Kind } from '../recording/hook-event.ts'
import { accessTokenEvent } from './access-token.ts'
import { deploymentEvent, featureFlagEvent, releaseEvent } from './deployments.ts'
import { subgroupEvent } from './groups.ts'
import { issueEvent } from './issue.ts'
import { jobEvent } from './job.ts'
import { memberEvent } from './members.ts'
import { mergeRequestEvent } from './merge-request.ts'
import { emojiEvent, noteEvent } from './note.ts'
import { pipelineEvent } from './pipeline.ts'
import { pushEvent, type RefMove, repositoryUpdateEvent } from './push.ts'
import * as store from './store.ts'
import { wikiPageSample } from './wiki-page.ts'

/** The owner of the tested webhook or integration. */
export type TestOwner = { readonly project: Project } | { readonly group: Group } | 'system'

/** The reason for missing test data, as a sentence. */
export interface TestProblem {
  readonly problem: string
}

type TestEvent = HookEvent | null | undefined
type Sample = (ctx: Ctx, project: Project) => TestEvent | Promise<TestEvent>

/** Sentences for missing data, by kind. */
const PROBLEMS: Partial<Record<Kind, string>> = {
  push: 'Ensure the project has at least one commit.',
  repository_update: 'Ensure the project has at least one commit.',
  tag_push: 'Ensure the project has tags.',
  issue: 'Ensure the project has issues.',
  confidential_issue: 'Ensure the project has confidential issues.',
  note: 'Ensure the project has notes.',
  confidential_note: 'Ensure the project has internal notes.',
  merge_request: 'Ensure the project has merge requests.',
  wiki_page: 'Ensure the wiki is enabled and has pages.',
  pipeline: 'Ensure the project has CI pipelines.',
  job: 'Ensure the project has CI jobs.',
  deployment: 'Ensure the project has deployments.',
  release: 'Ensure the project has releases.',
  feature_flag: 'Ensure the project has feature flags.',
  emoji: 'Ensure the project has emoji reactions.',
  member: 'Ensure the group has members.',
  subgroup: 'Ensure the group has subgroups.',
}

/** A sample with the newest row of a kind. */
const sampleOfRow =
  (
    kind: store.SampleKind,
    build: (ctx: Ctx, id: number, project: Project) => TestEvent | Promise<TestEvent>,
  ): Sample =>
  (ctx, project) => {
    const id = store.newest(ctx.db, kind, project.id)
    return id === undefined ? undefined : build(ctx, id, project)
  }

const sampleOfPush =
  (
    find: (ctx: Ctx, project: Project) => Promise<RefMove | undefined>,
    build: (
      ctx: Ctx,
      push: { project_id: number; actor_id: number | null },
      move: RefMove,
    ) => TestEvent | Promise<TestEvent>,
  ): Sample =>
  async (ctx, project) => {
    const move = await find(ctx, project)
    return move && build(ctx, { project_id: project.id, actor_id: ctx.actor.id }, move)
  }

const openingChange = (ctx: Ctx) => ({ action: 'open' as const, changes: {}, actor_id: ctx.actor.id })

/** A sample with the newest note of a kind. */
const sampleOfNote =
  (kind: Kind): Sample =>
  async (ctx, project) => {
    for (const id of store.newestNotes(ctx.db, project.id)) {
      const event = await noteEvent(ctx, id)
      if (event?.kind === kind) return event
    }
    return undefined
  }

const emoji: Sample = (ctx, { id: project_id }) => {
  const award = store.newestAward(ctx.db, project_id)
  if (!award) return undefined
  const noteable = { noteable_type: award.awardable_type, noteable_id: award.awardable_id }
  return emojiEvent(ctx, { ...award, ...noteable, award_id: award.id, project_id }, 'award')
}

const SAMPLES: Partial<Record<Kind, Sample>> = {
  push: sampleOfPush(newestPush, pushEvent),
  tag_push: sampleOfPush(newestTag, pushEvent),
  repository_update: sampleOfPush(newestPush, (ctx, push, move) =>
    repositoryUpdateEvent(ctx, { ...push, updates: [move] }),
  ),
  issue: sampleOfRow('issue', (ctx, id) => issueEvent(ctx, id, openingChange(ctx))),
  confidential_issue: sampleOfRow('confidential_issue', (ctx, id) => issueEvent(ctx, id, openingChange(ctx))),
  note: sampleOfNote('note'),
  confidential_note: sampleOfNote('confidential_note'),
  emoji,
  merge_request: sampleOfRow('merge_request', (ctx, id) => mergeRequestEvent(ctx, id, openingChange(ctx))),
  wiki_page: wikiPageSample,
  pipeline: sampleOfRow('pipeline', (ctx, id) => pipelineEvent(ctx, id)),
  job: sampleOfRow('job', (ctx, id) => jobEvent(ctx, id)),
  deployment: sampleOfRow('deployment', (ctx, deployment_id, { id: project_id }) =>
    deploymentEvent(ctx, { project_id, deployment_id }),
  ),
  release: sampleOfRow('release', (ctx, id) => releaseEvent(ctx, id, 'create')),
  feature_flag: sampleOfRow('feature_flag', (ctx, feature_flag_id) =>
    featureFlagEvent(ctx, { feature_flag_id, actor_id: ctx.actor.id }),
  ),
  resource_access_token: (ctx, { id }) => tokenSample(ctx, { project_id: id, group_id: null }),
}

/** An event with an invented token, since existing tokens rarely expire soon. */
function tokenSample(
  ctx: Ctx,
  owner: { project_id: number | null; group_id: number | null },
): HookEvent | null {
  const { now } = ctx
  const token = { id: 1, name: 'token', user_id: 1, created_at: now, expires_at: isoDate(addDays(now, 2)) }
  return accessTokenEvent(ctx, { ...token, ...owner })
}

/** The samples for kinds of events that only groups have, or that differ for groups. */
const GROUP_SAMPLES: Partial<Record<Kind, (ctx: Ctx, group: Group) => TestEvent>> = {
  member: (ctx, { id: group_id }) => {
    const member = store.newestMember(ctx.db, group_id)
    return member && memberEvent(ctx, { ...member, group_id }, 'add')
  },
  subgroup: (ctx, parent) => {
    const group_id = store.newestSubgroup(ctx.db, parent.id)
    const group = group_id === undefined ? undefined : namespaceById(ctx.db, group_id)
    return group && subgroupEvent({ ...group, group_id: group.id, parent }, 'create', parent.id)
  },
  resource_access_token: (ctx, { id }) => tokenSample(ctx, { project_id: null, group_id: id }),
}

/** Returns the projects to search for data: the newest of a group, or the newest of the instance with code. */
function projectsOf(ctx: Ctx, owner: TestOwner): Project[] {
  if (owner !== 'system' && 'project' in owner) return [owner.project]
  const namespaces = owner === 'system' ? null : namespaceTreeIds(ctx.db, owner.group.id)
  const projects = projectsByIds(ctx.db, store.newestProjects(ctx.db, namespaces))
  return projects.sort((a, b) => b.id - a.id)
}

/**
 * Makes an event about the newest row of its kind, for testing a webhook or integration. Stores and sends nothing. For
 * groups and the instance the row comes from their newest project with such a row (spec administration 3.6).
 */
export async function testEvent(ctx: Ctx, owner: TestOwner, kind: Kind): Promise<HookEvent | TestProblem> {
  if (owner !== 'system' && 'group' in owner && GROUP_SAMPLES[kind])
    return GROUP_SAMPLES[kind](ctx, owner.group) ?? { problem: PROBLEMS[kind]! }
  const sample = SAMPLES[kind]
  for (const project of sample ? projectsOf(ctx, owner) : []) {
    const event = await sample!(ctx, project)
    if (event) return event
  }
  const problem = PROBLEMS[kind] ?? 'There is no data for an event of this kind.'
  if (owner === 'system') return { problem: problem.replace('the project has', 'one of your projects has') }
  return { problem: 'group' in owner ? problem.replace('the project', 'a project of the group') : problem }
}

/** Returns the newest commit of the default branch as a push. Undefined for an empty repository. */
async function newestPush(ctx: Ctx, project: Project): Promise<RefMove | undefined> {
  const repo = repoOf(ctx, project)
  const tip = await branchTip(repo, project.default_branch)
  const commit = tip === null ? null : await findCommit(repo, tip)
  if (!commit) return undefined
  return { ref: `refs/heads/${project.default_branch}`, old: commit.parent_ids[0] ?? null, new: commit.id }
}

/** Returns the newest tag as a push. Undefined without any. */
async function newestTag(ctx: Ctx, project: Project): Promise<RefMove | undefined> {
  const repo = repoOf(ctx, project)
  const [tag] = await listTags(repo, { order: 'updated_desc' })
  return tag && { ref: tag.ref, old: null, new: tag.target }
}
