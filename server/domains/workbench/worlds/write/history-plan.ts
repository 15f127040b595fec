import { TimeSlices } from '../../../../lib/time-slices.ts'

/** The data of a merge request that the history of its project needs. Commits are full ids. */
export interface PlannedMergeRequest {
  readonly iid: number
  readonly source: string
  readonly target: string
  readonly state: 'opened' | 'closed' | 'merged'
  readonly head: string | null
  /** The commit at which the source branch diverged from the target branch. */
  readonly base: string | null
  readonly merge: string | null
  readonly squash: string | null
  /** True if repeating the merge results in the same files. */
  readonly isExact: boolean
}

export interface History {
  /** Parents by commit. */
  readonly commits: ReadonlyMap<string, readonly string[]>
  readonly main: string
  readonly branches: ReadonlyMap<string, string>
  readonly requests: readonly PlannedMergeRequest[]
  /** True if the project only merges a source branch that contains the tip of the target branch. */
  readonly needsAhead: boolean
}

/** A commit to create, or a merge request to merge (`merge` is its number). */
export interface Step {
  readonly id: string
  readonly branch: string
  /** The start of a new branch. */
  readonly from?: string
  readonly parents?: readonly string[]
  readonly merge?: number
}

export interface Plan {
  readonly steps: readonly Step[]
  /** Branches that no step creates, with their tips. */
  readonly branches: readonly { name: string; at: string }[]
  /** Branches that the steps leave at another commit than their real tip. */
  readonly movedBranches: readonly string[]
  /** Numbers of the merge requests in the order in which they are opened. */
  readonly order: readonly number[]
  /** Numbers of the merge requests that a step merges, and of those that remove their source branch on the way. */
  readonly mergedRequests: ReadonlySet<number>
  readonly sourceRemovals: ReadonlySet<number>
  /** The names of all branches that exist at any time during the steps. */
  readonly names: ReadonlySet<string>
}

/** The maximum number of commits that are searched to decide whether a branch can be created. */
const MAX_SEARCHED = 5000

/**
 * Orders the commits of a project for a world. The order depends only on the commits, so that the same history always
 * results in the same text: branch by branch along first parents, merged commits before their merge, and merges as part
 * of their merge requests.
 */
export async function planHistory(history: History): Promise<Plan> {
  return new Planner(history).plan()
}

class Planner {
  readonly #history: History
  readonly #slices = new TimeSlices()
  /** The branches at the end of the history, and deleted source branches of closed merge requests. */
  readonly #finalTips: Map<string, string>
  readonly #requests: readonly PlannedMergeRequest[]
  /** Merge requests by the commit that merged them: a merge commit or a squash commit. */
  readonly #byMergeCommit = new Map<string, PlannedMergeRequest>()
  /** Merge requests without a merge commit, by their head. */
  readonly #fastForwards = new Map<string, PlannedMergeRequest>()
  readonly #byHead = new Map<string, PlannedMergeRequest[]>()
  /** Commits of the main branch and of branches that are being written. No other branch writes them first. */
  readonly #reserved = new Set<string>()
  readonly #mergedKeys: ReadonlySet<string>
  readonly #steps: Step[] = []
  readonly #written = new Set<string>()
  readonly #tips = new Map<string, string>()
  readonly #names = new Set<string>()
  /** Numbers of the merge requests that are opened so far, in this order. */
  readonly #order = new Set<number>()
  readonly #open = new Map<string, number>()
  readonly #mergedRequests = new Set<number>()
  /** The last merge request that was merged from a branch. */
  readonly #lastMergeFrom = new Map<string, PlannedMergeRequest>()
  readonly #sourceRemovals = new Set<number>()

  constructor(history: History) {
    this.#history = history
    const { commits, branches, requests } = history
    this.#requests = requests.toSorted((a, b) => a.iid - b.iid)
    this.#mergedKeys = new Set(requests.filter(({ state }) => state === 'merged').map(keyOf))
    this.#finalTips = new Map([...branches].filter(([, tip]) => commits.has(tip)))
    for (const { source, state, head } of this.#requests)
      if (state !== 'merged' && !branches.has(source) && head && commits.has(head))
        this.#finalTips.set(source, head)
    for (const request of this.#requests)
      if (request.state === 'merged' && request.isExact) this.#addMerge(request)
    for (let at = this.#finalTips.get(history.main); at; at = commits.get(at)?.[0]) this.#reserved.add(at)
  }

  #addMerge(request: PlannedMergeRequest): void {
    const { head, merge, squash } = request
    if (head === null || !this.#history.commits.has(head)) return
    const parents = merge === null ? undefined : this.#history.commits.get(merge)
    if (merge !== null && parents?.length === 2 && (parents[1] === head || parents[1] === squash))
      this.#byMergeCommit.set(merge, request)
    else if (squash !== null && this.#history.commits.has(squash)) this.#byMergeCommit.set(squash, request)
    else if (squash === null && (merge === null || merge === head) && !this.#fastForwards.has(head))
      this.#fastForwards.set(head, request)
    const siblings = this.#byHead.get(head)
    if (siblings) siblings.push(request)
    else this.#byHead.set(head, [request])
  }

  async plan(): Promise<Plan> {
    const { main } = this.#history
    const names = [...this.#finalTips.keys()].sort()
    for (const name of [main, ...names.filter((entry) => entry !== main)]) {
      const tip = this.#finalTips.get(name)
      if (tip !== undefined && this.#tips.get(name) !== tip && !this.#written.has(tip))
        await this.#writeBranch(name, tip)
    }
    const { extra, moved } = this.#remainingBranches(names)
    for (const { iid } of this.#requests) this.#order.add(iid)
    return {
      steps: this.#steps,
      branches: extra,
      movedBranches: moved,
      order: [...this.#order],
      mergedRequests: this.#mergedRequests,
      sourceRemovals: this.#sourceRemovals,
      names: this.#names,
    }
  }

  /**
   * Branches that are not at their final tip after the steps: `extra` are created at it, `moved` cannot be. A branch in
   * `extra` may have the name of a source branch that a merge removes.
   */
  #remainingBranches(names: readonly string[]) {
    const extra: { name: string; at: string }[] = []
    const moved: string[] = []
    for (const name of names) {
      const [tip, finalTip] = [this.#tips.get(name), this.#history.branches.get(name)]
      if (finalTip === undefined || tip === finalTip) continue
      const last = this.#lastMergeFrom.get(name)
      if (tip === undefined || (last?.head === tip && name !== this.#history.main)) {
        if (tip !== undefined) this.#sourceRemovals.add(last!.iid)
        extra.push({ name, at: finalTip })
        this.#names.add(name)
      } else moved.push(name)
    }
    return { extra, moved }
  }

  /** Writes a branch up to a commit, along first parents. */
  async #writeBranch(branch: string, tip: string): Promise<void> {
    const { commits } = this.#history
    const chain: string[] = []
    for (
      let at: string | undefined = tip;
      at && commits.has(at) && !this.#written.has(at);
      at = commits.get(at)![0]
    )
      chain.push(at)
    chain.reverse()
    for (const id of chain) this.#reserved.add(id)
    const { owners, ends } = this.#findFastForwards(branch, chain)
    for (const id of chain) {
      if (this.#written.has(id)) continue
      await this.#write(owners.get(id) ?? branch, id)
      const plannedRequest = ends.get(id)
      if (plannedRequest) await this.#merge(plannedRequest, id, plannedRequest.base)
    }
  }

  /**
   * Finds the merge requests that were merged into a branch without a merge commit. Their commits are written to the
   * source branch first: `owners` has that branch by commit, `ends` the merge request by its last commit.
   */
  #findFastForwards(branch: string, chain: readonly string[]) {
    const owners = new Map<string, string>()
    const ends = new Map<string, PlannedMergeRequest>()
    let nextIndex = 0
    for (const [index, id] of chain.entries()) {
      const plannedRequest = this.#fastForwards.get(id)
      if (
        !plannedRequest ||
        plannedRequest.target !== branch ||
        plannedRequest.source === branch ||
        plannedRequest.base === null
      )
        continue
      const begin = chain.indexOf(plannedRequest.base) + 1
      const isAtTip = begin === 0 && this.#tips.get(branch) === plannedRequest.base
      if ((begin === 0 && !isAtTip) || begin < nextIndex) continue
      for (const inside of chain.slice(begin, index + 1)) owners.set(inside, plannedRequest.source)
      ends.set(id, plannedRequest)
      nextIndex = index + 1
    }
    return { owners, ends }
  }

  async #write(branch: string, id: string): Promise<void> {
    if (this.#slices.isOver()) await this.#slices.next()
    const parents = this.#history.commits.get(id)!
    const plannedRequest = this.#byMergeCommit.get(id)
    if (plannedRequest?.target === branch && this.#canMerge(plannedRequest, parents)) {
      if (!this.#written.has(plannedRequest.head!))
        await this.#writeBranch(plannedRequest.source, plannedRequest.head!)
      if (await this.#merge(plannedRequest, id, parents[0]!)) return
    }
    for (const parent of parents.slice(1))
      if (this.#history.commits.has(parent) && !this.#written.has(parent))
        await this.#writeBranch(branch, parent)
    this.#commit(branch, id)
    await this.#mergeElsewhere(branch, id)
  }

  #canMerge({ head, source, target, squash }: PlannedMergeRequest, [base]: readonly string[]): boolean {
    if (source === target || base === undefined || this.#tips.get(target) !== base) return false
    // Squashed commits are in the history of no other commit, so they may come later.
    if (squash !== null && !this.#written.has(head!) && !this.#isReady(head!)) return false
    if (this.#written.has(head!) && this.#tips.get(source) !== head) return false
    return !this.#history.needsAhead || this.#isAncestorOf(base, head!)
  }

  #isAncestorOf(old: string, tip: string): boolean {
    return (
      this.#search(
        tip,
        (id) => id === old,
        () => true,
      ) !== undefined
    )
  }

  /** Finds the first matching commit in the history of a commit. `mayWalk` selects the commits to search. */
  #search(
    tip: string,
    isMatch: (id: string) => boolean,
    mayWalk: (id: string) => boolean,
  ): string | undefined {
    const queue = new Set([tip])
    // The set grows during the loop, which visits the new commits, too.
    for (const id of queue) {
      if (isMatch(id) || queue.size > MAX_SEARCHED) return id
      for (const predecessor of this.#predecessorsOf(id)) if (mayWalk(predecessor)) queue.add(predecessor)
    }
    return undefined
  }

  /** The commits that are written before a commit: its parents, and the commits that were squashed into it. */
  #predecessorsOf(id: string): readonly string[] {
    const parents = this.#history.commits.get(id) ?? []
    const plannedRequest = this.#byMergeCommit.get(id)
    return plannedRequest?.squash ? [...parents, plannedRequest.head!] : parents
  }

  /** True if a commit can be written now: none of its unwritten predecessors is reserved for another branch. */
  #isReady(tip: string): boolean {
    const isUnwritten = (id: string) => !this.#written.has(id)
    return (
      isUnwritten(tip) &&
      this.#search(tip, (id) => this.#reserved.has(id) && isUnwritten(id), isUnwritten) === undefined
    )
  }

  #commit(branch: string, id: string): void {
    const parents = this.#history.commits.get(id)!.filter((parent) => this.#history.commits.has(parent))
    const [first] = parents
    const tip = this.#tips.get(branch)
    const isNew = tip === undefined
    const isPlain =
      parents.length === 1 && (isNew ? first === this.#tips.get(this.#history.main) : first === tip)
    const isFirst = parents.length === 0 && this.#steps.length === 0
    const origin = isPlain || isFirst ? {} : parents.length === 1 && isNew ? { from: first! } : { parents }
    this.#steps.push({ id, branch, ...origin })
    this.#written.add(id)
    this.#tips.set(branch, id)
    this.#names.add(branch)
  }

  /** Merges a merge request. Returns false if its branches have moved in the meantime. */
  async #merge(request: PlannedMergeRequest, id: string, base: string | null): Promise<boolean> {
    const { iid, source, target, head, squash } = request
    await this.#openEarlier(request)
    if (this.#mergedRequests.has(iid)) return true
    if (this.#tips.get(source) !== head || this.#tips.get(target) !== base) return false
    this.#order.add(iid)
    this.#steps.push({ id, branch: target, merge: iid })
    this.#written.add(id)
    if (squash !== null) this.#written.add(squash)
    this.#tips.set(target, id)
    this.#mergedRequests.add(iid)
    this.#lastMergeFrom.set(source, request)
    this.#open.delete(keyOf(request))
    if (!this.#finalTips.has(source)) {
      this.#tips.delete(source)
      this.#sourceRemovals.add(iid)
    }
    await this.#mergeElsewhere(target, id)
    return true
  }

  /** Merges a new tip into branches other than the main branch now, while its branch still points to it. */
  async #mergeElsewhere(branch: string, id: string): Promise<void> {
    for (const { source, target, merge } of this.#byHead.get(id) ?? [])
      if (source === branch && target !== this.#history.main && merge && this.#isReady(merge))
        await this.#writeBranch(target, merge)
  }

  /** Opens the merge requests with lower numbers, as far as their branches exist or can be written. */
  async #openEarlier({ iid }: PlannedMergeRequest): Promise<void> {
    for (const request of this.#requests) {
      if (request.iid >= iid) return
      if (this.#order.has(request.iid)) continue
      const isReplaced = request.state !== 'merged' && this.#mergedKeys.has(keyOf(request))
      if (isReplaced || this.#open.has(keyOf(request))) continue
      const tip = request.state === 'merged' ? request.head : this.#finalTips.get(request.source)
      if (!this.#tips.has(request.source) && tip && this.#history.commits.has(tip) && this.#isReady(tip))
        await this.#writeBranch(request.source, tip)
      // Writing the branch may also have created the target branch, or opened this merge request.
      if (!this.#tips.has(request.source) || !this.#tips.has(request.target) || this.#order.has(request.iid))
        continue
      this.#order.add(request.iid)
      this.#open.set(keyOf(request), request.iid)
    }
  }
}

function keyOf({ source, target }: PlannedMergeRequest): string {
  return `${source}\0${target}`
}
