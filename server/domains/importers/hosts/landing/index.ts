import type { Ctx } from '../../../../ctx.ts'
import { importedRequests } from '../../../merge_requests/index.ts'
import { landAttachment, replaceText, textsWith } from './attachments.ts'
import { landMergeRequest, settleMergeRequests } from './merge-requests.ts'
import { landDiffNote, landNote } from './notes.ts'
import { accountOf, type Account } from './people.ts'
import { addLabels, landIssue, landLabel, landMilestone } from './planning.ts'
import { landProtection, landRelease } from './repository.ts'
import { landMerging, landReview, landReviewer } from './reviews.ts'
import { targetOf, type ImportTargetOptions } from './target.ts'
import { landEvent } from './timeline.ts'
import type * as types from './types.ts'

export type * from './types.ts'
export type { Account } from './people.ts'
export { CannotLand } from './target.ts'
export { discardCanceled, discardLanded } from './discard.ts'

export const { countRequests, nextRequestIid, setMergeCommit } = importedRequests

/**
 * Creates the records of another host in one project. Every method returns the id of the new row, or null if it created
 * none, and throws `CannotLand` for a record that cannot be imported. A second call with the same `source_key` creates
 * nothing and returns the same id. Transactions are short, and no events are published.
 */
export interface Landing {
  /**
   * The account of a person, by identity or confirmed address. Otherwise the importing user; the ghost user for null.
   */
  account(person: types.OptionalPerson): Account
  /** Creates a label, unless the project or one of its groups has one with the title. */
  label(input: types.NewLabel): number | null
  /** Creates a milestone with its number, unless there is one with the title. */
  milestone(input: types.NewMilestone): number | null
  /** Creates an issue with its number. */
  issue(input: types.NewIssue): number | null
  /** Creates a merge request with its number and one version. Asks git. */
  mergeRequest(input: types.NewMergeRequest): Promise<number | null>
  /** Adds labels to an issue or merge request, by their titles. */
  labels(on: types.IssuableRef, titles: readonly string[]): void
  /** Creates a note, or an answer to one. */
  note(input: types.NewNote): number | null
  /**
   * Creates a note at lines of a merge request's diff, or a plain note that names the lines when no diff has them. Asks
   * git.
   */
  diffNote(input: types.NewDiffNote): Promise<number | null>
  /** Creates a note with the text of a review, and the approval of a reviewer with an account here. */
  review(input: types.NewReview): number | null
  /** Adds a reviewer who has an account here. */
  reviewer(iid: number, person: types.OptionalPerson): void
  /** Records who merged. */
  merging(input: types.Merging): number | null
  /** Creates a resource event or a system note. */
  event(input: types.NewEvent): number | null
  /** Creates a release; its tag should be in the repository. Asks git. */
  release(input: types.NewRelease): Promise<number | null>
  /** Protects a branch; one that is protected already gets the stricter levels of both. */
  protectedBranch(input: types.NewProtection): number | null
  /** Attaches a file. Returns its path in texts, `/uploads/<secret>/<name>`. */
  attach(file: types.FetchedFile): Promise<string>
  /** The texts that contain `piece`, among the next rows after the id `after`. */
  textsWith(table: types.TextTarget['table'], piece: string, after: number): types.MatchingTexts
  /** Replaces a text, unless it was changed in the meantime. */
  replaceText(target: types.TextTarget, before: string, after: string): void
  /** Completes the import: finds the issues that open merge requests close. */
  settle(): Promise<void>
}

/** The landing of a project that is being imported. Throws CannotLand if the project was deleted. */
export function landingOf(ctx: Ctx, projectId: number, options: ImportTargetOptions = {}): Landing {
  const target = targetOf(ctx, projectId, options)
  return {
    account: (person) => accountOf(target, person),
    label: (input) => landLabel(target, input),
    milestone: (input) => landMilestone(target, input),
    issue: (input) => landIssue(target, input),
    mergeRequest: (input) => landMergeRequest(target, input),
    labels: (on, titles) => addLabels(target, on, titles),
    note: (input) => landNote(target, input),
    diffNote: (input) => landDiffNote(target, input),
    review: (input) => landReview(target, input),
    reviewer: (iid, person) => landReviewer(target, iid, person),
    merging: (input) => landMerging(target, input),
    event: (input) => landEvent(target, input),
    release: (input) => landRelease(target, input),
    protectedBranch: (input) => landProtection(target, input),
    attach: (file) => landAttachment(target, file),
    textsWith: (table, piece, after) => textsWith(target, table, piece, after),
    replaceText: (text, before, after) => replaceText(target, text, before, after),
    settle: () => settleMergeRequests(target),
  }
}
