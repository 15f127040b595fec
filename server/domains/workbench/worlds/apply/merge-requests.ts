import { Failure } from '../../../../lib/fail.ts'
import type { MergeRequestsOfHistory } from './history.ts'
import type { WorldDiscussion, WorldMergeRequest, WorldProject } from '../model/schema.ts'
import { resumeMergeRules, withoutMergeRules } from './merge-rules.ts'
import { milestonesOf } from './issues.ts'
import type { ApplyRun } from './apply-run.ts'

interface MergeRequest {
  readonly iid: number
  readonly title: string
  readonly state: string
  readonly source_branch: string
  readonly sha: string | null
  readonly merge_commit_sha: string | null
  readonly squash_commit_sha: string | null
  readonly diff_refs: { base_sha: string; head_sha: string; start_sha: string } | null
}

interface Discussion {
  readonly id: string
  readonly notes: readonly { id: number; body: string; author: { username: string }; resolved?: boolean }[]
}

const PATH = '/projects/:id/merge_requests/:merge_request_iid'

/** The merge requests of a project. */
export class MergeRequests implements MergeRequestsOfHistory {
  readonly #run: ApplyRun
  readonly #world: WorldProject
  readonly #id: number
  readonly #main: string
  /** Titles of merge requests that are applied completely. */
  readonly #applied = new Set<string>()
  /** Titles of merge requests that exist. */
  readonly #opened = new Set<string>()
  #byTitle: Map<string, MergeRequest> | undefined
  #milestones: Map<string, number> | undefined

  constructor(run: ApplyRun, world: WorldProject, id: number, main: string) {
    this.#run = run
    this.#world = world
    this.#id = id
    this.#main = main
  }

  /** Merges a merge request. Opens the merge requests before it in the list first, so that the IIDs follow the list. */
  async mergeAt(title: string): Promise<string | null> {
    const { merge_requests = [] } = this.#world
    const index = merge_requests.findIndex((request) => request.title === title)
    for (const request of merge_requests.slice(0, index))
      if (await this.#hasSourceBranch(request)) await this.#create(request)
    const entry = merge_requests[index]!
    await this.#applyRequest({ ...entry, state: 'merged' }, entry)
    this.#byTitle = undefined
    const row = (await this.#rows()).get(title)
    return row?.merge_commit_sha ?? row?.squash_commit_sha ?? row?.sha ?? null
  }

  targetOf(title: string): string | undefined {
    return this.#world.merge_requests?.find((request) => request.title === title)?.target
  }

  /** The heads of merged source branches, by the name of the branch. The merge may have removed the branch. */
  async mergedBranches(): Promise<ReadonlyMap<string, string>> {
    if (!this.#world.merge_requests) return new Map()
    const rows = [...(await this.#rows()).values()].filter(({ state }) => state === 'merged')
    return new Map(rows.flatMap(({ source_branch, sha }) => (sha === null ? [] : [[source_branch, sha]])))
  }

  async apply(): Promise<void> {
    for (const request of this.#world.merge_requests ?? [])
      if (!this.#applied.has(request.title)) await this.#applyRequest(request, request)
    await resumeMergeRules(this.#run, this.#world, this.#id)
  }

  async #applyRequest(planned: WorldMergeRequest, entry: object): Promise<void> {
    await this.#run.step(entry, `the merge request "${planned.title}"`, async () => {
      const row = await this.#create(planned)
      this.#applied.add(planned.title)
      await this.#review(planned, row)
      await this.#closeOrMerge(planned, row)
    })
  }

  async #rows(): Promise<Map<string, MergeRequest>> {
    if (this.#byTitle) return this.#byTitle
    const rows = await this.#run.all<MergeRequest>('GET /projects/:id/merge_requests', {
      id: this.#id,
      scope: 'all',
      state: 'all',
    })
    this.#byTitle = new Map(rows.map((row) => [row.title, row]))
    return this.#byTitle
  }

  async #hasSourceBranch({ source }: WorldMergeRequest): Promise<boolean> {
    try {
      await this.#run.call(this.#run.contextOf(undefined), 'GET /projects/:id/repository/branches/:branch', {
        id: this.#id,
        branch: source,
      })
      return true
    } catch (error) {
      if (error instanceof Failure && error.kind === 'not_found') return false
      throw error
    }
  }

  async #create(entry: WorldMergeRequest): Promise<MergeRequest> {
    const run = this.#run
    const existing = await this.#rows()
    const match = existing.get(entry.title)
    if (match) {
      if (!this.#opened.has(entry.title)) run.countExisting('merge_requests')
      this.#opened.add(entry.title)
      return match
    }
    const { title, description, author, at, source, target, squash, remove_source_branch } = entry
    const id = this.#id
    const idsOf = (names: string[] | undefined) => names?.map((name) => run.idOf(name))
    const milestones = (this.#milestones ??= await milestonesOf(run, id))
    const row = await run.call<MergeRequest>(run.contextOf(author, at), 'POST /projects/:id/merge_requests', {
      id,
      title,
      description,
      source_branch: source,
      target_branch: target ?? this.#main,
      squash,
      remove_source_branch,
      assignee_ids: idsOf(entry.assignees),
      reviewer_ids: idsOf(entry.reviewers),
      labels: entry.labels?.join(','),
      milestone_id: entry.milestone === undefined ? undefined : milestones.get(entry.milestone),
    })
    existing.set(title, row)
    this.#opened.add(title)
    run.countCreated('merge_requests')
    return row
  }

  async #review(entry: WorldMergeRequest, row: MergeRequest): Promise<void> {
    const run = this.#run
    const path = { id: this.#id, merge_request_iid: row.iid }
    if (entry.discussions) {
      const threads = await run.all<Discussion>(`GET ${PATH}/discussions`, path)
      for (const discussion of entry.discussions)
        await run.step(discussion, `the discussion of ${discussion.author}`, () =>
          this.#discuss(discussion, row, threads, entry.at),
        )
    }
    if (entry.approvals && row.state === 'opened') {
      const { approved_by } = await run.call<{ approved_by: { user: { username: string } }[] }>(
        run.contextOf(undefined),
        `GET ${PATH}/approvals`,
        path,
      )
      const names = new Set(approved_by.map(({ user }) => user.username))
      for (const username of entry.approvals) {
        if (names.has(username)) run.countExisting('approvals')
        else {
          await run.step(entry.approvals, `the approval of ${username}`, () =>
            run.call(run.contextOf(username, entry.merged_at ?? entry.at), `POST ${PATH}/approve`, path),
          )
          run.countCreated('approvals')
        }
      }
    }
  }

  async #discuss(
    discussion: WorldDiscussion,
    row: MergeRequest,
    threads: Discussion[],
    after: string | undefined,
  ): Promise<void> {
    const run = this.#run
    const path = { id: this.#id, merge_request_iid: row.iid }
    const { author, text, file, line, old_line, resolved_by, replies = [] } = discussion
    const at = discussion.at ?? after
    const isSameNote = (
      note: { body: string; author: { username: string } },
      username: string,
      body: string,
    ) => note.author.username === username && note.body.trim() === body.trim()
    // If several threads begin with the same text, each is matched once.
    const index = threads.findIndex(({ notes: [first] }) => first && isSameNote(first, author, text))
    let thread = index < 0 ? undefined : threads.splice(index, 1)[0]
    if (thread) run.countExisting('discussions')
    else {
      thread = await run.call<Discussion>(run.contextOf(author, at), `POST ${PATH}/discussions`, {
        ...path,
        body: text,
        position:
          file === undefined ? undefined : positionOf(await this.#withDiff(row), file, line, old_line),
      })
      run.countCreated('discussions')
    }
    const threadPath = { ...path, discussion_id: thread.id }
    for (const reply of replies) {
      if (thread.notes.some((note) => isSameNote(note, reply.author, reply.text))) run.countExisting('notes')
      else {
        await run.call(
          run.contextOf(reply.author, reply.at ?? at),
          `POST ${PATH}/discussions/:discussion_id/notes`,
          { ...threadPath, body: reply.text },
        )
        run.countCreated('notes')
      }
    }
    if (resolved_by !== undefined && !thread.notes[0]?.resolved)
      await run.call(run.contextOf(resolved_by, at), `PUT ${PATH}/discussions/:discussion_id`, {
        ...threadPath,
        resolved: true,
      })
  }

  /** Waits for the job that creates the diff, and returns the merge request with it. */
  async #withDiff({ iid }: MergeRequest): Promise<MergeRequest> {
    await this.#run.waitForJobs()
    return this.#run.call(this.#run.contextOf(undefined), `GET ${PATH}`, {
      id: this.#id,
      merge_request_iid: iid,
    })
  }

  async #closeOrMerge(entry: WorldMergeRequest, row: MergeRequest): Promise<void> {
    if (row.state !== 'opened' || (entry.state ?? 'opened') === 'opened') return
    const run = this.#run
    const path = { id: this.#id, merge_request_iid: row.iid }
    if (entry.state === 'closed') {
      await run.call(run.contextOf(entry.closed_by, entry.closed_at ?? entry.at), `PUT ${PATH}`, {
        ...path,
        state_event: 'close',
      })
    } else {
      // A job updates the merge status.
      await run.waitForJobs()
      await withoutMergeRules(run, this.#id, () =>
        run.call(run.contextOf(entry.merged_by, entry.merged_at ?? entry.at), `PUT ${PATH}/merge`, {
          ...path,
          squash: entry.squash,
          should_remove_source_branch: entry.remove_source_branch,
          merge_commit_message: entry.merge_message,
        }),
      )
      await run.waitForJobs()
    }
  }
}

function positionOf(
  { diff_refs }: MergeRequest,
  file: string,
  line: number | undefined,
  old_line: number | undefined,
): Record<string, unknown> {
  const lines = {
    ...(line === undefined ? {} : { new_line: line }),
    ...(old_line === undefined ? {} : { old_line }),
  }
  return { ...diff_refs, position_type: 'text', new_path: file, old_path: file, ...lines }
}
