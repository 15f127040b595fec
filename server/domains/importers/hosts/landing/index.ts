import type { Ctx } from '../../../../ctx.ts'
import { importedRequests } from '../../../merge_requests/index.ts'
import { landAttachment, replaceText, textsWith } from './attachments.ts'
import { landMergeRequest, settleMergeRequests } from './merge-requests.ts'
import { landDiffNote, landNote } from './notes.ts'
import { accountOf, type Account } from './people.ts'
import { addLabels, landIssue, landLabel, landMilestone } from './planning.ts'
import { landProtection, landRelease } from './repository.ts'
import { landMerge, landReview, landReviewer } from './reviews.ts'
import { targetOf, type ImportTargetOptions } from './target.ts'
import { landEvent } from './timeline.ts'
import type * as types from './types.ts'

export type * from './types.ts'
export type { Account } from './people.ts'
export { LandingError } from './target.ts'
export { discardCanceled, discardImported } from './discard.ts'

export const { countRequests, nextRequestIid, setMergeCommit } = importedRequests

/**
 * Creates the records of another host in one project. Every method that creates a record returns the ID of the new row,
 * or null if it created none, and throws `LandingError` for a record that cannot be imported. A second call with the
 * same `source_key` creates nothing and returns the same ID. Transactions are short, and no events are published.
 */
export interface Landing {
  /**
   * The account of a person, found by identity or confirmed email address. Other people have the account of the
   * importing user, and a deleted person (null) has that of the ghost user.
   */
  account(person: types.OptionalPerson): Account
  /** Creates a label, unless the project or one of its groups has one with the title. */
  label(input: types.NewLabel): number | null
  /** Creates a milestone with its number, unless the project or one of its groups has one with the title. */
  milestone(input: types.NewMilestone): number | null
  /** Creates an issue with its number. */
  issue(input: types.NewIssue): number | null
  /** Creates a merge request with its number and one version. Reads the repository. */
  mergeRequest(input: types.NewMergeRequest): Promise<number | null>
  /** Adds labels to an issue or merge request, by their titles. */
  labels(on: types.IssuableRef, titles: readonly string[]): void
  /** Creates a note, or a reply to a note. */
  note(input: types.NewNote): number | null
  /**
   * Creates a note on lines of a merge request's diff, or a plain note that quotes the lines if no diff contains them.
   * Reads the repository.
   */
  diffNote(input: types.NewDiffNote): Promise<number | null>
  /** Creates a note with the text of a review, and the approval of a reviewer with an account here. */
  review(input: types.NewReview): number | null
  /** Adds a reviewer who has an account here. */
  reviewer(iid: number, person: types.OptionalPerson): void
  /** Records who merged a merge request, and when. */
  merge(input: types.NewMerge): number | null
  /** Creates a resource event or a system note. */
  event(input: types.NewEvent): number | null
  /** Creates a release. Its tag should be in the repository, which is read. */
  release(input: types.NewRelease): Promise<number | null>
  /** Protects a branch. A branch that is already protected gets the stricter of both access levels. */
  protectedBranch(input: types.NewProtection): number | null
  /** Attaches a file to the project. Returns the path for links in texts, `/uploads/<secret>/<name>`. */
  attach(file: types.DownloadedFile): Promise<string>
  /** Returns the texts that contain `substring`, among the next rows after the ID `after`. */
  textsWith(table: types.TextTarget['table'], substring: string, after: number): types.MatchingTexts
  /** Replaces a text, unless it was changed in the meantime. */
  replaceText(target: types.TextTarget, before: string, after: string): void
  /** Finds the issues that open merge requests close. Called once all records are imported. */
  settle(): Promise<void>
}

/** Creates the landing for a project that is being imported. Throws LandingError if the project was deleted. */
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
    merge: (input) => landMerge(target, input),
    event: (input) => landEvent(target, input),
    release: (input) => landRelease(target, input),
    protectedBranch: (input) => landProtection(target, input),
    attach: (file) => landAttachment(target, file),
    textsWith: (table, substring, after) => textsWith(target, table, substring, after),
    replaceText: (text, before, after) => replaceText(target, text, before, after),
    settle: () => settleMergeRequests(target),
  }
}
