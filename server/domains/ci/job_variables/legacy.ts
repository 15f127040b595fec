import type { Item } from './item.ts'

/** Names of before that scripts still read, and the variable that each is a copy of (spec ci 2.13). */
const COPIES: Readonly<Record<string, string>> = {
  CI_BUILD_REF: 'CI_COMMIT_SHA',
  CI_BUILD_BEFORE_SHA: 'CI_COMMIT_BEFORE_SHA',
  CI_BUILD_REF_NAME: 'CI_COMMIT_REF_NAME',
  CI_BUILD_REF_SLUG: 'CI_COMMIT_REF_SLUG',
  CI_BUILD_TAG: 'CI_COMMIT_TAG',
  CI_BUILD_ID: 'CI_JOB_ID',
  CI_BUILD_TOKEN: 'CI_JOB_TOKEN',
  CI_BUILD_NAME: 'CI_JOB_NAME',
  CI_BUILD_STAGE: 'CI_JOB_STAGE',
  CI_BUILD_MANUAL: 'CI_JOB_MANUAL',
  CI_BUILD_TRIGGERED: 'CI_PIPELINE_TRIGGERED',
}

/** The old names of those that are there. */
export function legacyOf(items: readonly Item[]): Item[] {
  const byKey = new Map(items.map((item) => [item.key, item]))
  return Object.entries(COPIES).flatMap(([key, of]) => {
    const item = byKey.get(of)
    return item ? [{ ...item, key }] : []
  })
}
