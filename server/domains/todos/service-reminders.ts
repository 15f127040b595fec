import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { canRead } from '../../policy/ability.ts'
import { namesIn, type NameInText } from '../markdown/index.ts'
import { inNameOf } from '../planning/index.ts'
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
interface Mentioned {
  readonly directly: number[]
  readonly otherwise: number[]
}

/** The maximum number of names of one text that are looked up. */
const MAX_NAMES = 100
/** The maximum number of users who get an item from one text. */
const MAX_PEOPLE = 1000

/** A text with its author. */
interface MentioningText {
  readonly text: string
  /** The earlier text. Users whom it already mentioned are left out. */
  readonly before?: string | null | undefined
  readonly author_id: number
  readonly internal?: boolean
}

/**
 * Returns the users whom a text mentions and who may read its subject: users by name, all members of the project by
 * `@all`, and members of a group that the author can see (7.2).
 */
async function mentionedBy(ctx: Ctx, subject: Subject, source: MentioningText): Promise<Mentioned> {
  const names = (await namesIn(source.text)).slice(0, MAX_NAMES)
  if (names.length === 0) return { directly: [], otherwise: [] }
  const mentionedBefore = new Set(
    source.before ? people(ctx, subject, source, await namesIn(source.before)).keys() : [],
  )
  const called = [...people(ctx, subject, source, names)]
    .filter(([id]) => !mentionedBefore.has(id) && mayRead(ctx, subject, id, source.internal))
    .slice(0, MAX_PEOPLE)
  const pick = (directly: boolean) => called.filter(([, first]) => first === directly).map(([id]) => id)
  return { directly: pick(true), otherwise: pick(false) }
}

/** Returns the users for names. True if a line begins with one of their names. */
function people(
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
  const author = inNameOf(ctx, source.author_id)
  return row && author && canRead(author, group, row)
    ? subjects.groupMemberIds(ctx.db, row.id, isoDate(ctx.now))
    : []
}

function membersOfProject(ctx: Ctx, subject: Subject): number[] {
  const filter = { today: isoDate(ctx.now) }
  const window = { limit: MAX_PEOPLE, offset: 0 }
  return usersOfSource(ctx.db, projectSource(subject.project), filter, window).rows.map((user) => user.id)
}

/** Creates items about an issue or merge request for the given users who may read it. */
export function addFor(
  ctx: Ctx,
  subject: Subject | undefined,
  action: TodoAction,
  by: { author_id: number | null; users: readonly number[] },
): void {
  const author = by.author_id ?? subject?.author_id
  if (!subject || author === null || author === undefined) return
  const users = by.users.filter((id) => mayRead(ctx, subject, id))
  tx(ctx.db, () => addTodos(ctx, { action, subject, author_id: author }, users))
}

/**
 * Adds an issue or merge request to the list of a user who used the quick action `/todo`, unless it is already there.
 */
export function markFor(ctx: Ctx, of: { kind: 'Issue' | 'MergeRequest'; id: number; user_id: number }): void {
  const subject = issuableSubject(ctx, of.kind, of.id)
  if (!subject || store.pendingOf(ctx.db, subject, of.user_id)) return
  addFor(ctx, subject, 'marked', { author_id: of.user_id, users: [of.user_id] })
}

function addMentioned(
  ctx: Ctx,
  subject: Subject,
  called: Mentioned,
  by: { author_id: number; note_id: number | null },
): void {
  addTodos(ctx, { action: 'directly_addressed', subject, ...by }, called.directly)
  addTodos(ctx, { action: 'mentioned', subject, ...by }, called.otherwise)
}

/** The texts of an issue or merge request that can mention users. */
export interface Words {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
}

/** Reminds users whom the title or description of an issue or merge request newly mentions. */
export async function remindMentioned(
  ctx: Ctx,
  of: { type: 'Issue' | 'MergeRequest'; id: number; actor_id: number | null },
  previous?: Words,
): Promise<void> {
  if (previous && previous.title === undefined && previous.description === undefined) return
  const subject = issuableSubject(ctx, of.type, of.id)
  const author_id = of.actor_id ?? subject?.author_id
  if (!subject || !author_id) return
  const text = wordsOf(subject)
  const before = previous ? wordsOf({ ...subject, ...definedOf(previous) }) : null
  const called = await mentionedBy(ctx, subject, { text, before, author_id })
  tx(ctx.db, () => addMentioned(ctx, subject, called, { author_id, note_id: null }))
}

function wordsOf({ title, description }: Words): string {
  return `${title ?? ''}\n\n${description ?? ''}`
}

function definedOf(words: Words): Words {
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined))
}

/** A note as its events describe it. */
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
  const called = await mentionedBy(ctx, subject, { text: note, author_id, internal })
  tx(ctx.db, () => {
    const isDeleted = subjects.noteText(ctx.db, note_id) === undefined
    if (isDeleted) return
    if (isNew) finishFor(ctx, subject, author_id)
    addMentioned(ctx, subject, called, { author_id, note_id })
  })
}

/** Returns the author, and the user who enabled the automatic merge. */
function peopleOf(request: subjects.MergingRequest): number[] {
  const armed = request.merge_when_pipeline_succeeds ? request.merge_user_id : null
  return [...new Set([request.author_id, armed ?? request.author_id])]
}

/**
 * Creates an item about a user's own merge request for each user who may read it. Each user is the author of their
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

/** A pipeline, as its events name it. */
interface OfPipeline {
  readonly pipeline_id: number
  readonly project_id: number
  readonly sha: string
}

/**
 * Reminds the author of a merge request, and the user who enabled the automatic merge, of a failed pipeline of its head
 * (7.2).
 */
export function remindOfFailedPipeline(ctx: Ctx, failed: OfPipeline): void {
  for (const request of requestsOfPipeline(ctx, failed)) {
    remindOfOwnRequest(ctx, request.id, 'build_failed', peopleOf(request))
  }
}

/** Finishes the items about a failed pipeline when it runs again. */
export function finishFailedPipeline(ctx: Ctx, retried: OfPipeline): void {
  for (const request of requestsOfPipeline(ctx, retried)) {
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

/** Reminds users to approve a merge request. The items have its author as author. */
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

/** The maximum number of users who are reminded of one request. */
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

/** Returns the users who can decide: owners and maintainers, the most recently active first. */
function deciders(ctx: Ctx, request: AccessRequest): number[] {
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
  tx(ctx.db, () => addTodos(ctx, reminder, deciders(ctx, request)))
}

/** Finishes the items about a request that was granted, denied or withdrawn. */
export function finishAccessRequest(ctx: Ctx, request: AccessRequest): void {
  tx(ctx.db, () => finishRequests(ctx, ownerSubject(request), request.user_id))
}
