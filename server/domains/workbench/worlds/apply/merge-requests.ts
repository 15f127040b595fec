import { Failure } from '../../../../lib/fail.ts'
import type { MergeRequestsOfHistory } from './history.ts'
import { requestsNamed } from '../model/numbering.ts'
import type { WorldDiscussion, WorldMergeRequest, WorldProject } from '../model/schema.ts'
import { resumeMergeRules, withoutMergeRules } from './merge-rules.ts'
import { applyComments } from './comments.ts'
import { milestonesOf } from './issues.ts'
import { checkSameTitle, keepIidsFree, recordsOf, withIidOf } from './records.ts'
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

const PATH = '/projects/:id/merge_requests/:merge_request_iid'

/** The merge requests of a project. */
export class MergeRequests implements MergeRequestsOfHistory {
  readonly #run: ApplyRun
  readonly #world: WorldProject
  readonly #id: number
  readonly #main: string
  /** Merge requests that are applied completely. */
  readonly #applied = new Set<WorldMergeRequest>()
  /** Merge requests that exist. */
  readonly #opened = new Set<WorldMergeRequest>()
  #existing: Map<WorldMergeRequest, MergeRequest> | undefined
  /** The merge requests of the project, also those that are not in the world. */
  #allRows: readonly MergeRequest[] = []
  #milestones: Map<string, number> | undefined

  constructor(run: ApplyRun, world: WorldProject, id: number, main: string) {
    this.#run = run
    this.#world = world
    this.#id = id
    this.#main = main
  }

  get #entries(): readonly WorldMergeRequest[] {
    return this.#world.merge_requests ?? []
  }

  /** Merges a merge request. Opens the merge requests before it in the list first, so that the IIDs follow the list. */
  async mergeAt(name: string | number): Promise<string | null> {
    const [entry] = requestsNamed(this.#world, name)
    for (const request of this.#entries.slice(0, this.#entries.indexOf(entry!)))
      if (await this.#hasSourceBranch(request)) await this.#create(request)
    await this.#applyRequest(entry!, 'merged')
    this.#existing = undefined
    const row = (await this.#rows()).get(entry!)
    return row?.merge_commit_sha ?? row?.squash_commit_sha ?? row?.sha ?? null
  }

  targetOf(name: string | number): string | undefined {
    return requestsNamed(this.#world, name)[0]?.target
  }

  /** The heads of merged source branches, by the name of the branch. The merge may have removed the branch. */
  async mergedBranches(): Promise<ReadonlyMap<string, string>> {
    if (this.#entries.length === 0) return new Map()
    await this.#rows()
    const rows = this.#allRows.filter(({ state }) => state === 'merged')
    return new Map(rows.flatMap(({ source_branch, sha }) => (sha === null ? [] : [[source_branch, sha]])))
  }

  async apply(): Promise<void> {
    for (const request of this.#entries)
      if (!this.#applied.has(request)) await this.#applyRequest(request, request.state)
    await resumeMergeRules(this.#run, this.#world, this.#id)
  }

  async #applyRequest(entry: WorldMergeRequest, state: WorldMergeRequest['state']): Promise<void> {
    await this.#run.step(entry, `the merge request "${entry.title}"`, async () => {
      const row = await this.#create(entry)
      this.#applied.add(entry)
      await this.#review(entry, row)
      await this.#closeOrMerge({ ...entry, state }, row)
    })
  }

  /** The existing merge requests of the world. */
  async #rows(): Promise<Map<WorldMergeRequest, MergeRequest>> {
    if (this.#existing) return this.#existing
    const rows = await this.#run.all<MergeRequest>('GET /projects/:id/merge_requests', {
      id: this.#id,
      scope: 'all',
      state: 'all',
    })
    keepIidsFree(this.#run, this.#id, 'merge_requests', this.#entries)
    this.#allRows = rows
    this.#existing = recordsOf(this.#entries, rows)
    return this.#existing
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
    const match = existing.get(entry)
    if (match) {
      checkSameTitle(entry, match)
      if (!this.#opened.has(entry)) run.countExisting('merge_requests')
      this.#opened.add(entry)
      return match
    }
    const { title, description, author, at, source, target, squash, remove_source_branch } = entry
    const id = this.#id
    const idsOf = (names: string[] | undefined) => names?.map((name) => run.idOf(name))
    const milestones = (this.#milestones ??= await milestonesOf(run, id))
    const ctx = withIidOf(entry, run.contextOf(author, at))
    const row = await run.call<MergeRequest>(ctx, 'POST /projects/:id/merge_requests', {
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
    existing.set(entry, row)
    this.#opened.add(entry)
    run.countCreated('merge_requests')
    return row
  }

  async #review(entry: WorldMergeRequest, row: MergeRequest): Promise<void> {
    const run = this.#run
    const path = { id: this.#id, merge_request_iid: row.iid }
    await applyComments(
      run,
      { route: PATH, path, at: entry.at, positionOf: (discussion) => this.#positionOf(row, discussion) },
      entry,
    )
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

  async #positionOf(row: MergeRequest, { file, line, old_line }: WorldDiscussion) {
    return file === undefined ? undefined : positionIn(await this.#withDiff(row), file, line, old_line)
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

function positionIn(
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
