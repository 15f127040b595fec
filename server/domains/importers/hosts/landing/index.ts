import type { Ctx } from '../../../../ctx.ts'
import { landAttachment, replaceText, textsWith } from './attachments.ts'
import { landDiffNote } from './diff-notes.ts'
import { landEvent } from './happenings.ts'
import { targetOf, type ImportTargetOptions } from './target.ts'
import type * as inputs from './inputs.ts'
import { addLabels, landIssue } from './issues.ts'
import { landLabel } from './labels.ts'
import { settleMergeRequests } from './merge-requests/settle.ts'
import { landMergeRequest } from './merge-requests/land.ts'
import { landMilestone } from './milestones.ts'
import { landNote } from './notes.ts'
import { accountOf, type Account } from './people.ts'
import { landProtection } from './protections.ts'
import { landRelease } from './releases.ts'
import { landMerging, landReview, landReviewer } from './reviews.ts'

export type * from './inputs.ts'
export type { Account } from './people.ts'
export { CannotLand } from './cannot-land.ts'
export { discardLanded } from './discard.ts'

/**
 * Makes in one project what another host has. Every method gives the id of the row that came of it, null where nothing did,
 * and throws `CannotLand` with a sentence for what cannot be taken over. Called again with the same `source_key` it makes
 * nothing and gives the same. Transactions are short, and no events are told.
 */
export interface Landing {
  /** The account of somebody: by identity, by a confirmed address; the ghost for null; else whoever imports. */
  account(person: inputs.Somebody): Account
  /** A label; one of that title, also of a group above, is used as it is. */
  label(given: inputs.NewLabel): number | null
  /** A milestone with its number; one of that title is used as it is. */
  milestone(given: inputs.NewMilestone): number | null
  /** An issue with its number. */
  issue(given: inputs.NewIssue): number | null
  /** A merge request with its number and one version. Asks git. */
  mergeRequest(given: inputs.NewMergeRequest): Promise<number | null>
  /** Gives an issue or merge request labels, by their titles, beside those that it has. */
  labels(on: inputs.IssuableRef, titles: readonly string[]): void
  /** A note, or an answer to one. */
  note(given: inputs.NewNote): number | null
  /** A note at lines of a merge request's diff; without those lines a note that names them. Asks git. */
  diffNote(given: inputs.NewDiffNote): Promise<number | null>
  /** A review: its text as a note, an approval of somebody who is known here. */
  review(given: inputs.NewReview): number | null
  /** Somebody was asked to review; passed over where they are not known here. */
  reviewer(iid: number, person: inputs.Somebody): void
  /** Who merged. */
  merging(given: inputs.Merging): number | null
  /** Something that happened, as an event of the resource or a line of the conversation. */
  event(given: inputs.NewEvent): number | null
  /** A release; its tag should be in the repository. Asks git. */
  release(given: inputs.NewRelease): Promise<number | null>
  /** A protected branch; one that is protected already gets the stricter levels of both. */
  protectedBranch(given: inputs.NewProtection): number | null
  /** Attaches a file; gives its path in texts, `/uploads/<secret>/<name>`. */
  attach(file: inputs.FetchedFile): Promise<string>
  /** The texts that hold a piece of text, among the next few from behind `after`. */
  textsWith(table: inputs.TextTarget['table'], piece: string, after: number): inputs.FoundTexts
  /** Writes another text in place of one, unless somebody changed it meanwhile. */
  replaceText(target: inputs.TextTarget, before: string, after: string): void
  /** At the end: what follows from all that was landed, as the issues that open merge requests will close. */
  settle(): Promise<void>
}

/** The way into a project that is being imported. Throws where it is gone. */
export function landingOf(ctx: Ctx, projectId: number, options: ImportTargetOptions = {}): Landing {
  const target = targetOf(ctx, projectId, options)
  return {
    account: (person) => accountOf(target, person),
    label: (given) => landLabel(target, given),
    milestone: (given) => landMilestone(target, given),
    issue: (given) => landIssue(target, given),
    mergeRequest: (given) => landMergeRequest(target, given),
    labels: (on, titles) => addLabels(target, on, titles),
    note: (given) => landNote(target, given),
    diffNote: (given) => landDiffNote(target, given),
    review: (given) => landReview(target, given),
    reviewer: (iid, person) => landReviewer(target, iid, person),
    merging: (given) => landMerging(target, given),
    event: (given) => landEvent(target, given),
    release: (given) => landRelease(target, given),
    protectedBranch: (given) => landProtection(target, given),
    attach: (file) => landAttachment(target, file),
    textsWith: (table, piece, after) => textsWith(target, table, piece, after),
    replaceText: (text, before, after) => replaceText(target, text, before, after),
    settle: () => settleMergeRequests(target),
  }
}
