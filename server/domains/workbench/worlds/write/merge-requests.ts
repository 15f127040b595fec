import type { Repo } from '../../../../git/types.ts'
import { mergeBases } from '../../../../git/read/graph.ts'
import type { Project } from '../../../projects/index.ts'
import type { WorldDiscussion, WorldMergeRequest } from '../model/schema.ts'
import type { Content } from './history.ts'
import { commentsOf } from './comments.ts'
import type { Plan } from './history-plan.ts'
import { needsIids, type Planning } from './issues.ts'
import type { Permissions } from './permissions.ts'
import { type Entry, type WorldWriter, text, time } from './world-writer.ts'
import type { YamlOutput } from './yaml-output.ts'
import * as store from './store-issuables.ts'

/** The maximum number of merge requests of a project. */
const MAX_REQUESTS = 3000
const AT_ONCE = 100

type Row = store.MergeRequestRow

export interface ProjectOfRequests {
  readonly project: Project
  readonly path: string
  readonly permissions: Permissions
  readonly planning: Planning
}

/** The merge requests that a world can describe, regardless of its branches. */
export function requestsOf(writer: WorldWriter, { project, path }: ProjectOfRequests): Row[] {
  const rows = store.mergeRequests(writer.ctx.db, project.id, MAX_REQUESTS + 1)
  if (rows.length > MAX_REQUESTS)
    writer.omissions.add(
      `projects with more than ${MAX_REQUESTS} merge requests; only the first are here`,
      path,
    )
  return rows.slice(0, MAX_REQUESTS).filter((row) => {
    if (row.source_project_id === project.id && row.source_branch !== row.target_branch) return true
    writer.omissions.add('merge requests from forks', `${path}!${row.iid}`)
    return false
  })
}

/**
 * The merge requests that a world can describe, in the order in which they are opened. Those of deleted branches are left
 * out.
 */
export function inOrder(
  writer: WorldWriter,
  path: string,
  rows: readonly Row[],
  { names, order }: Plan,
): Row[] {
  const positions = new Map(order.map((iid, index) => [iid, index]))
  const positionOf = ({ iid }: Row) => positions.get(iid) ?? MAX_REQUESTS
  return rows
    .filter(({ iid, source_branch, target_branch }) => {
      if (names.has(source_branch) && names.has(target_branch)) return true
      writer.omissions.add('merge requests of deleted branches', `${path}!${iid}`)
      return false
    })
    .toSorted((a, b) => positionOf(a) - positionOf(b) || a.iid - b.iid)
}

/** The names by which commits refer to merge requests: their titles, or the IIDs of those that share a title. */
export function namesOfRequests(rows: readonly Row[]): Map<number, string | number> {
  const counts = new Map<string, number>()
  for (const { title } of rows) counts.set(title.toLowerCase(), (counts.get(title.toLowerCase()) ?? 0) + 1)
  return new Map(rows.map(({ iid, title }) => [iid, counts.get(title.toLowerCase()) === 1 ? title : iid]))
}

/** Writes the merge requests of a project. */
export class MergeRequestsWriter {
  readonly #writer: WorldWriter
  readonly #context: ProjectOfRequests
  readonly #content: Content
  readonly #repo: Repo

  constructor(writer: WorldWriter, context: ProjectOfRequests, content: Content, repo: Repo) {
    this.#writer = writer
    this.#context = context
    this.#content = content
    this.#repo = repo
  }

  /** Writes the merge requests that `inOrder` returned. */
  async write(output: YamlOutput, sorted: readonly Row[]): Promise<void> {
    const { db } = this.#writer.ctx
    const hasIids = needsIids(sorted)
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
        const entry: Entry<WorldMergeRequest> = {
          iid: hasIids ? row.iid : undefined,
          ...this.#entryOf(row, people, labels.get(id)),
          ...(await this.#commentsOf(row, notes.get(id) ?? [])),
        }
        await output.entry('-', entry, '      ')
      }
    }
  }

  #entryOf(
    row: Row,
    people: Readonly<Record<'assignees' | 'reviewers' | 'approvals', number[] | undefined>>,
    labels: string[] | undefined,
  ): Entry<WorldMergeRequest> {
    const { project, planning, permissions } = this.#context
    const { author_id, source_branch, target_branch, squash_commit_sha } = row
    const { plan } = this.#content
    const isMerged = plan.mergedRequests.has(row.iid)
    const namesOfReviewers = (ids: readonly number[] = []) =>
      this.#writer.names(ids.filter((id) => permissions.mayReview(id)))
    const approvers = (people.approvals ?? []).filter((id) => id !== author_id && permissions.mayPush(id))
    return {
      title: row.title,
      description: text(row.description),
      author: permissions.mayPush(author_id) ? this.#writer.name(author_id) : this.#writer.writerName,
      source: source_branch,
      target: target_branch === project.default_branch ? undefined : target_branch,
      at: time(row.created_at),
      ...this.#endOf(row),
      assignees: namesOfReviewers(people.assignees),
      reviewers: namesOfReviewers(people.reviewers),
      labels: planning.labels(labels),
      milestone: planning.milestone(row.milestone),
      squash: (isMerged ? squash_commit_sha !== null : row.squash) || undefined,
      remove_source_branch:
        (isMerged ? plan.sourceRemovals.has(row.iid) : row.force_remove_source_branch) || undefined,
      approvals: this.#writer.names(approvers),
    }
  }

  /** The final state. A merge request that a world cannot merge in the same way is closed in the world. */
  #endOf(row: Row): Entry<WorldMergeRequest> {
    const { permissions, path } = this.#context
    const { state, author_id, target_branch, merge_user_id, merged_at } = row
    const { plan } = this.#content
    const { writerName } = this.#writer
    const name = (id: number | null, isAllowed: boolean) => (isAllowed ? this.#writer.name(id) : writerName)
    if (plan.mergedRequests.has(row.iid))
      return {
        state: 'merged',
        merged_at: time(merged_at ?? row.updated_at),
        merged_by: name(merge_user_id, permissions.mayMerge(merge_user_id, target_branch)),
        merge_message: this.#messageOf(row),
      }
    if (state !== 'closed' && state !== 'merged') return {}
    if (state === 'merged')
      this.#writer.omissions.add(
        'merges that a world cannot repeat; their requests are closed here',
        `${path}!${row.iid}`,
      )
    const [by, at] = state === 'merged' ? [merge_user_id, merged_at] : [row.closed_by_id, row.closed_at]
    const isAllowed = permissions.mayPush(by) || (by === author_id && permissions.mayReview(by))
    return { state: 'closed', closed_at: time(at ?? row.updated_at), closed_by: name(by, isAllowed) }
  }

  /** The message of the merge commit if it differs from the default. */
  #messageOf({ merge_commit_sha, source_branch, target_branch, title, iid }: Row): string | undefined {
    const { project, path } = this.#context
    const message = this.#content.commits.get(merge_commit_sha ?? '')?.message
    if (message === undefined || project.merge_method === 'ff') return undefined
    const head = `Merge branch '${source_branch}' into '${target_branch}'\n\n${title}\n\n`
    const tail = `See merge request ${path}!${iid}`
    const isDefault = message.startsWith(head) && message.endsWith(tail)
    const closingLines = isDefault ? message.slice(head.length, -tail.length) : ''
    return isDefault && /^(?:Closes [^\n]*\n\n)?$/.test(closingLines) ? undefined : message
  }

  async #commentsOf(row: Row, notes: readonly store.NoteRow[]) {
    const { permissions, path } = this.#context
    const hasPositions = notes.some(({ position }) => position !== null) && (await this.#hasDiff(row))
    return commentsOf(this.#writer, notes, {
      reference: `${path}!${row.iid}`,
      mayWrite: (id) => permissions.mayReview(id),
      mayResolve: (id) => permissions.mayResolve(id, row.author_id),
      positionOf: (first) => this.#positionOf(row, first, hasPositions),
    })
  }

  /** True if the merge request will have the same diff in the world, so that positions of comments fit. */
  async #hasDiff(row: Row): Promise<boolean> {
    const { plan, branches } = this.#content
    if (plan.mergedRequests.has(row.iid)) return true
    const target = branches.get(row.target_branch)
    if (target === undefined || row.head_sha === null || row.state === 'merged') return false
    const head = branches.get(row.source_branch) ?? row.head_sha
    const bases = head === row.head_sha ? await mergeBases(this.#repo, target, head).catch(() => []) : []
    return bases.length === 1 && bases[0] === row.base_sha && bases[0] !== head
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
      this.#writer.omissions.add('lines that comments are about', `${this.#context.path}!${row.iid}`)
      return {}
    }
    return { file: new_path, line: new_line ?? undefined, old_line: old_line ?? undefined }
  }
}
