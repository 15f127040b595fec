import type { Repo } from '../../../../git/types.ts'
import { mergeBases } from '../../../../git/read/graph.ts'
import type { Project } from '../../../projects/index.ts'
import type { WorldDiscussion, WorldMergeRequest } from '../model/schema.ts'
import type { Content } from './history.ts'
import type { Planning } from './issues.ts'
import type { Permissions } from './permissions.ts'
import { type Entry, list, type WorldWriter, text, time } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import * as store from './store-requests.ts'

/** The maximum number of merge requests of a project. */
const MAX_REQUESTS = 3000
const AT_ONCE = 100

type Row = store.MergeRequestRow

export interface RequestsOf {
  readonly project: Project
  readonly path: string
  readonly rights: Permissions
  readonly planning: Planning
}

/** The merge requests that a world can describe, before its branches are planned. */
export function requestsOf(writer: WorldWriter, { project, path, planning }: RequestsOf): Row[] {
  const rows = store.mergeRequests(writer.ctx.db, project.id, MAX_REQUESTS + 1)
  if (rows.length > MAX_REQUESTS)
    writer.leftOut.add(
      `projects with more than ${MAX_REQUESTS} merge requests; only the first are here`,
      path,
    )
  return rows.slice(0, MAX_REQUESTS).filter((row) => {
    if (row.source_project_id === project.id && row.source_branch !== row.target_branch)
      return planning.isNew('merge requests', row.title, row.iid)
    writer.leftOut.add('merge requests from forks', `${path}!${row.iid}`)
    return false
  })
}

/** Writes the merge requests of a project in the order in which they are opened. */
export class RequestsWriter {
  readonly #writer: WorldWriter
  readonly #of: RequestsOf
  readonly #content: Content
  readonly #repo: Repo

  constructor(writer: WorldWriter, of: RequestsOf, content: Content, repo: Repo) {
    this.#writer = writer
    this.#of = of
    this.#content = content
    this.#repo = repo
  }

  async write(output: YamlOutput, rows: readonly Row[]): Promise<void> {
    const { db } = this.#writer.ctx
    const { plan } = this.#content
    const order = new Map(plan.order.map((iid, index) => [iid, index]))
    const sorted = rows
      .filter((row) => this.#isThere(row))
      .toSorted(
        (a, b) => (order.get(a.iid) ?? MAX_REQUESTS) - (order.get(b.iid) ?? MAX_REQUESTS) || a.iid - b.iid,
      )
    if (sorted.length > 0) output.open('merge_requests:', '    ')
    for (let at = 0; at < sorted.length && !output.isFull; at += AT_ONCE) {
      const batch = sorted.slice(at, at + AT_ONCE)
      const ids = batch.map(({ id }) => id)
      const labels = store.labelTitles(db, 'merge_request', ids)
      const notes = store.notes(db, 'MergeRequest', ids)
      const assignees = store.people(db, 'merge_request_assignees', ids)
      const reviewers = store.people(db, 'merge_request_reviewers', ids)
      const approvals = store.people(db, 'approvals', ids)
      for (const row of batch) {
        const { id } = row
        const people = {
          assignees: assignees.get(id),
          reviewers: reviewers.get(id),
          approvals: approvals.get(id),
        }
        const discussions = await this.#discussionsOf(row, notes.get(id) ?? [])
        const entry = { ...this.#entryOf(row, people, labels.get(id)), discussions: list(discussions) }
        await output.entry('-', entry as Entry<WorldMergeRequest>, '      ')
      }
    }
  }

  #isThere({ iid, source_branch, target_branch }: Row): boolean {
    const { names } = this.#content.plan
    if (names.has(source_branch) && names.has(target_branch)) return true
    this.#writer.leftOut.add('merge requests of deleted branches', `${this.#of.path}!${iid}`)
    return false
  }

  #entryOf(
    row: Row,
    people: Readonly<Record<'assignees' | 'reviewers' | 'approvals', number[] | undefined>>,
    labels: string[] | undefined,
  ): Entry<WorldMergeRequest> {
    const { project, planning, rights } = this.#of
    const { author_id, source_branch, target_branch, squash_commit_sha } = row
    const { plan } = this.#content
    const isMerged = plan.merged.has(row.iid)
    const seen = (ids: readonly number[] = []) => this.#writer.names(ids.filter((id) => rights.mayReview(id)))
    const approvers = (people.approvals ?? []).filter((id) => id !== author_id && rights.mayPush(id))
    return {
      title: row.title,
      description: text(row.description),
      author: rights.mayPush(author_id) ? this.#writer.name(author_id) : this.#writer.writer,
      source: source_branch,
      target: target_branch === project.default_branch ? undefined : target_branch,
      at: time(row.created_at),
      ...this.#endOf(row),
      assignees: seen(people.assignees),
      reviewers: seen(people.reviewers),
      labels: planning.labels(labels),
      milestone: planning.milestone(row.milestone),
      squash: (isMerged ? squash_commit_sha !== null : row.squash) || undefined,
      remove_source_branch:
        (isMerged ? plan.removing.has(row.iid) : row.force_remove_source_branch) || undefined,
      approvals: this.#writer.names(approvers),
    }
  }

  /** The final state. A merge request that a world cannot merge in the same way is closed there. */
  #endOf(row: Row): Entry<WorldMergeRequest> {
    const { rights, path } = this.#of
    const { state, author_id, target_branch, merge_user_id, merged_at } = row
    const { plan } = this.#content
    const { writer } = this.#writer
    const name = (id: number | null, may: boolean) => (may ? this.#writer.name(id) : writer)
    if (plan.merged.has(row.iid))
      return {
        state: 'merged',
        merged_at: time(merged_at ?? row.updated_at),
        merged_by: name(merge_user_id, rights.mayMerge(merge_user_id, target_branch)),
        merge_message: this.#messageOf(row),
      }
    if (state !== 'closed' && state !== 'merged') return {}
    if (state === 'merged')
      this.#writer.leftOut.add(
        'merges that a world cannot repeat; their requests are closed here',
        `${path}!${row.iid}`,
      )
    const [by, at] = state === 'merged' ? [merge_user_id, merged_at] : [row.closed_by_id, row.closed_at]
    const may = rights.mayPush(by) || (by === author_id && rights.mayReview(by))
    return { state: 'closed', closed_at: time(at ?? row.updated_at), closed_by: name(by, may) }
  }

  /** The message of the merge commit if it differs from the default. */
  #messageOf({ merge_commit_sha, source_branch, target_branch, title, iid }: Row): string | undefined {
    const { project, path } = this.#of
    const message = this.#content.commits.get(merge_commit_sha ?? '')?.message
    if (message === undefined || project.merge_method === 'ff') return undefined
    const head = `Merge branch '${source_branch}' into '${target_branch}'\n\n${title}\n\n`
    const tail = `See merge request ${path}!${iid}`
    const isUsual = message.startsWith(head) && message.endsWith(tail)
    const between = isUsual ? message.slice(head.length, -tail.length) : ''
    return isUsual && /^(?:Closes [^\n]*\n\n)?$/.test(between) ? undefined : message
  }

  async #discussionsOf(row: Row, notes: readonly store.NoteRow[]): Promise<Entry<WorldDiscussion>[]> {
    const threads = new Map<string, store.NoteRow[]>()
    for (const note of notes) {
      const thread = threads.get(note.discussion_id)
      if (thread) thread.push(note)
      else threads.set(note.discussion_id, [note])
    }
    const hasPositions = notes.some(({ position }) => position !== null) && (await this.#hasDiff(row))
    return [...threads.values()].flatMap((thread) => {
      const discussion = this.#discussionOf(row, thread, hasPositions)
      return discussion ? [discussion] : []
    })
  }

  /** Whether the diff in the world will be the one that the comments refer to. */
  async #hasDiff(row: Row): Promise<boolean> {
    const { plan, branches } = this.#content
    if (plan.merged.has(row.iid)) return true
    const target = branches.get(row.target_branch)
    if (target === undefined || row.head_sha === null || row.state === 'merged') return false
    const head = branches.get(row.source_branch) ?? row.head_sha
    const bases = head === row.head_sha ? await mergeBases(this.#repo, target, head).catch(() => []) : []
    return bases.length === 1 && bases[0] === row.base_sha && bases[0] !== head
  }

  #discussionOf(
    row: Row,
    [first, ...rest]: readonly store.NoteRow[],
    hasPositions: boolean,
  ): Entry<WorldDiscussion> | undefined {
    const { rights, path } = this.#of
    const reference = `${path}!${row.iid}`
    const mayWrite = ({ author_id }: store.NoteRow) => {
      if (rights.mayReview(author_id)) return true
      this.#writer.leftOut.add('comments of people who can no longer write them', reference)
      return false
    }
    if (!first || !mayWrite(first)) return undefined
    const replies = rest.filter(mayWrite).map((note) => ({
      author: this.#writer.name(note.author_id),
      text: note.note,
      at: time(note.created_at),
    }))
    const resolvable = [first, ...rest].filter((note) => note.resolvable)
    const isResolved = resolvable.length > 0 && resolvable.every((note) => note.resolved_at !== null)
    const resolverId = first.resolved_by_id
    return {
      author: this.#writer.name(first.author_id),
      text: first.note,
      at: time(first.created_at),
      ...this.#positionOf(row, first, hasPositions),
      resolved_by: isResolved
        ? rights.mayResolve(resolverId, row.author_id)
          ? this.#writer.name(resolverId)
          : this.#writer.writer
        : undefined,
      replies: list(replies) as WorldDiscussion['replies'],
    }
  }

  #positionOf(row: Row, { position }: store.NoteRow, hasPositions: boolean): Entry<WorldDiscussion> {
    if (position === null) return {}
    const { head_sha, old_path, new_path, old_line, new_line, position_type } = JSON.parse(position) as {
      head_sha: string
      old_path: string
      new_path: string
      old_line?: number | null
      new_line?: number | null
      position_type: string
    }
    const isCurrent = hasPositions && head_sha === row.head_sha && old_path === new_path
    if (!isCurrent || position_type !== 'text' || new_path.length > 255 || (!old_line && !new_line)) {
      this.#writer.leftOut.add('lines that comments are about', `${this.#of.path}!${row.iid}`)
      return {}
    }
    return { file: new_path, line: new_line ?? undefined, old_line: old_line ?? undefined }
  }
}
