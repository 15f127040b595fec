import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { canRead } from '../../policy/ability.ts'
import { namesIn, type NameInText } from '../markdown/index.ts'
import { onBehalfOf } from '../planning/index.ts'
import {
  addTodos,
  finishRequests,
  finishIssuable,
  finishFor,
  commitSubject,
  issuableSubject,
  mayRead,
  type Subject,
} from './service-items.ts'
import * as store from './store.ts'
import * as subjects from './store-subjects.ts'
import type { TodoAction, TodoSubject } from './types.ts'
import { requestsOfPipeline } from '../merge_requests/index.ts'
import { isoDate } from '../../lib/clock.ts'
import { MAINTAINER } from '../../policy/levels.ts'
import { findGroup, group } from '../groups/index.ts'
import { membersFrom, projectSource, groupSource, usersOfSource } from '../members/index.ts'
import { projectById } from '../projects/index.ts'

/** The users whom a text mentions: `directly` at the beginning of a line, `otherwise` anywhere else. */
interface Mentions {
  readonly directly: number[]
  readonly otherwise: number[]
}

/** The maximum number of names of one text that are looked up. */
const MAX_NAMES = 100
/** The maximum number of users who get an item from one text. */
const MAX_USERS = 1000

/** A text with its author. */
interface MentioningText {
  readonly text: string
  /** The text before a change. Users whom it mentions get no item. */
  readonly before?: string | null | undefined
  readonly author_id: number
  readonly internal?: boolean
}

/**
 * Returns the users whom a text mentions, if they may read its subject: users by name, all members of the project for
 * `@all`, and the members of a group that the author can see (7.2).
 */
async function mentionedBy(ctx: Ctx, subject: Subject, source: MentioningText): Promise<Mentions> {
  const names = (await namesIn(source.text)).slice(0, MAX_NAMES)
  if (names.length === 0) return { directly: [], otherwise: [] }
  const mentionedBefore = new Set(
    source.before ? mentionedUsers(ctx, subject, source, await namesIn(source.before)).keys() : [],
  )
  const mentioned = [...mentionedUsers(ctx, subject, source, names)]
    .filter(([id]) => !mentionedBefore.has(id) && mayRead(ctx, subject, id, source.internal))
    .slice(0, MAX_USERS)
  const pick = (directly: boolean) =>
    mentioned.filter(([, isDirect]) => isDirect === directly).map(([id]) => id)
  return { directly: pick(true), otherwise: pick(false) }
}

/** Returns the IDs of the users whom names mention. The value is true if a line begins with a mention of the user. */
function mentionedUsers(
  ctx: Ctx,
  subject: Subject,
  source: MentioningText,
  names: readonly NameInText[],
): Map<number, boolean> {
  const result = new Map<number, boolean>()
  for (const { name, leading } of names)
    for (const id of userIdsOfName(ctx, subject, source, name))
      result.set(id, leading || (result.get(id) ?? false))
  return result
}

function userIdsOfName(ctx: Ctx, subject: Subject, source: MentioningText, name: string): number[] {
  const userId = subjects.findActiveUser(ctx.db, name)
  if (userId !== undefined) return [userId]
  if (name.toLowerCase() === 'all') return membersOfProject(ctx, subject)
  const row = findGroup(ctx, name)
  const author = onBehalfOf(ctx, source.author_id)
  return row && author && canRead(author, group, row)
    ? subjects.groupMemberIds(ctx.db, row.id, isoDate(ctx.now))
    : []
}

function membersOfProject(ctx: Ctx, subject: Subject): number[] {
  const filter = { today: isoDate(ctx.now) }
  const page = { limit: MAX_USERS, offset: 0 }
  return usersOfSource(ctx.db, projectSource(subject.project), filter, page).rows.map((user) => user.id)
}

/** Creates items about an issue or merge request for those of `users` who may read it. */
export function addFor(
  ctx: Ctx,
  subject: Subject | undefined,
  action: TodoAction,
  { author_id, users }: { author_id: number | null; users: readonly number[] },
): void {
  const author = author_id ?? subject?.author_id
  if (!subject || author === null || author === undefined) return
  const readers = users.filter((id) => mayRead(ctx, subject, id))
  tx(ctx.db, () => addTodos(ctx, { action, subject, author_id: author }, readers))
}

/**
 * Adds an issue or merge request to the list of a user who used the quick action `/todo`, unless it is on the list.
 */
export function markFor(
  ctx: Ctx,
  event: { kind: 'Issue' | 'MergeRequest'; id: number; user_id: number },
): void {
  const subject = issuableSubject(ctx, event.kind, event.id)
  if (!subject || store.pendingOf(ctx.db, subject, event.user_id)) return
  addFor(ctx, subject, 'marked', { author_id: event.user_id, users: [event.user_id] })
}

function addMentioned(
  ctx: Ctx,
  subject: Subject,
  mentions: Mentions,
  cause: { author_id: number; note_id: number | null },
): void {
  addTodos(ctx, { action: 'directly_addressed', subject, ...cause }, mentions.directly)
  addTodos(ctx, { action: 'mentioned', subject, ...cause }, mentions.otherwise)
}

/** The texts of an issue or merge request that can mention users. */
export interface IssuableTexts {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
}

/** Reminds users whom the title or description of an issue or merge request newly mentions. */
export async function remindMentioned(
  ctx: Ctx,
  event: { type: 'Issue' | 'MergeRequest'; id: number; actor_id: number | null },
  previous?: IssuableTexts,
): Promise<void> {
  if (previous && previous.title === undefined && previous.description === undefined) return
  const subject = issuableSubject(ctx, event.type, event.id)
  const author_id = event.actor_id ?? subject?.author_id
  if (!subject || !author_id) return
  const text = joinTexts(subject)
  const before = previous ? joinTexts({ ...subject, ...definedOnly(previous) }) : null
  const mentions = await mentionedBy(ctx, subject, { text, before, author_id })
  tx(ctx.db, () => addMentioned(ctx, subject, mentions, { author_id, note_id: null }))
}

function joinTexts({ title, description }: IssuableTexts): string {
  return `${title ?? ''}\n\n${description ?? ''}`
}

function definedOnly(texts: IssuableTexts): IssuableTexts {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined))
}

/** The event of a note. */
export interface NoteEvent {
  readonly note_id: number
  readonly project_id: number | null
  readonly noteable_type: string
  readonly noteable_id: number | null
  readonly commit_id: string | null
  readonly author_id: number
  readonly internal: boolean
}

/** Returns the subject of a note. Undefined for snippets, which have no to-do items. */
function subjectOf(ctx: Ctx, event: NoteEvent): Subject | undefined {
  const { noteable_type: type, noteable_id: id, project_id, commit_id } = event
  if ((type === 'Issue' || type === 'MergeRequest') && id !== null) return issuableSubject(ctx, type, id)
  return type === 'Commit' && project_id !== null && commit_id !== null
    ? commitSubject(ctx, project_id, commit_id)
    : undefined
}

/** Reminds the users whom a note mentions. A new note also finishes the pending items of its author. */
export async function remindOfNote(ctx: Ctx, event: NoteEvent, isNew: boolean): Promise<void> {
  const subject = subjectOf(ctx, event)
  const note = subjects.noteText(ctx.db, event.note_id)
  if (!subject || note === undefined) return
  const { author_id, note_id, internal } = event
  const mentions = await mentionedBy(ctx, subject, { text: note, author_id, internal })
  tx(ctx.db, () => {
    const isDeleted = subjects.noteText(ctx.db, note_id) === undefined
    if (isDeleted) return
    if (isNew) finishFor(ctx, subject, author_id)
    addMentioned(ctx, subject, mentions, { author_id, note_id })
  })
}

/** Returns the author, and the user who enabled the automatic merge. */
function peopleOf(request: subjects.AutoMergeRequest): number[] {
  const autoMergeUser = request.merge_when_pipeline_succeeds ? request.merge_user_id : null
  return [...new Set([request.author_id, autoMergeUser ?? request.author_id])]
}

/**
 * Creates an item about a merge request for each of its `users` who may read it. Each user is the author of their own
 * item.
 */
function remindOfOwnRequest(ctx: Ctx, requestId: number, action: TodoAction, users: readonly number[]): void {
  const subject = issuableSubject(ctx, 'MergeRequest', requestId)
  if (!subject) return
  const readers = users.filter((id) => mayRead(ctx, subject, id))
  tx(ctx.db, () => {
    for (const id of readers) addTodos(ctx, { action, subject, author_id: id }, [id])
  })
}

/** The pipeline of an event. */
interface PipelineEvent {
  readonly pipeline_id: number
  readonly project_id: number
  readonly sha: string
}

/**
 * Reminds the author of a merge request, and the user who enabled the automatic merge, of a failed pipeline of its head
 * (7.2).
 */
export function remindOfFailedPipeline(ctx: Ctx, pipeline: PipelineEvent): void {
  for (const request of requestsOfPipeline(ctx, pipeline)) {
    remindOfOwnRequest(ctx, request.id, 'build_failed', peopleOf(request))
  }
}

/** Finishes the items about a failed pipeline when it runs again. */
export function finishFailedPipeline(ctx: Ctx, pipeline: PipelineEvent): void {
  for (const request of requestsOfPipeline(ctx, pipeline)) {
    for (const id of peopleOf(request)) finishIssuable(ctx, 'MergeRequest', request.id, id)
  }
}

/** Reminds the author and the user who enabled the automatic merge of a conflict with the target branch. */
export function remindOfConflict(ctx: Ctx, requestId: number): void {
  const request = subjects.mergeRequestById(ctx.db, requestId)
  if (request?.merge_when_pipeline_succeeds === true)
    remindOfOwnRequest(ctx, requestId, 'unmergeable', peopleOf(request))
}

/** Reminds the author of a merge request, and the user who queued it, of its removal from the merge train. */
export function remindOfRemovalFromTrain(ctx: Ctx, requestId: number): void {
  const request = subjects.mergeRequestById(ctx.db, requestId)
  if (request) remindOfOwnRequest(ctx, requestId, 'merge_train_removed', peopleOf(request))
}

/** Reminds users to approve a merge request. The author of the merge request is the author of the items. */
export function remindApprovers(ctx: Ctx, requestId: number, users: readonly number[]): void {
  const subject = issuableSubject(ctx, 'MergeRequest', requestId)
  addFor(ctx, subject, 'approval_required', { author_id: subject?.author_id ?? null, users })
}

/** A user's request for access to a project or group. */
export interface AccessRequest {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly user_id: number
}

/** The maximum number of users who are reminded of one access request. */
const MAX_DECIDERS = 10

function ownerSubject({ project_id, group_id }: AccessRequest): TodoSubject {
  return {
    target_type: project_id === undefined ? 'Namespace' : 'Project',
    target_id: project_id ?? group_id ?? null,
    commit_id: null,
    project_id: project_id ?? null,
    group_id: group_id ?? null,
  }
}

/** Returns the users who can decide about the request: owners and maintainers, the most recently active first. */
function findDeciders(ctx: Ctx, request: AccessRequest): number[] {
  const today = isoDate(ctx.now)
  const project = request.project_id === undefined ? undefined : projectById(ctx.db, request.project_id)
  const group = request.group_id === undefined ? undefined : findGroup(ctx, String(request.group_id))
  const source = project ? projectSource(project) : group ? groupSource(group) : undefined
  if (!source) return []
  const members = membersFrom(ctx.db, source, { level: MAINTAINER, today, limit: MAX_DECIDERS })
  // The owner of a personal namespace may not be a member of its projects.
  return [...new Set([...(source.owner_id === null ? [] : [source.owner_id]), ...members])].slice(
    0,
    MAX_DECIDERS,
  )
}

/** Reminds at most ten users who can decide about a request for access (7.2). */
export function remindOfAccessRequest(ctx: Ctx, request: AccessRequest): void {
  const reminder = {
    action: 'member_access_requested',
    subject: ownerSubject(request),
    author_id: request.user_id,
  } as const
  tx(ctx.db, () => addTodos(ctx, reminder, findDeciders(ctx, request)))
}

/** Finishes the items about a request that was granted, denied or withdrawn. */
export function finishAccessRequest(ctx: Ctx, request: AccessRequest): void {
  tx(ctx.db, () => finishRequests(ctx, ownerSubject(request), request.user_id))
}
