import { describe, expect, it } from 'vitest'

import type { Delivery } from '../../../server/domains/integrations/delivering/channel.ts'
import { issuesIn } from '../../../server/domains/integrations/delivering/vendors/jira-issues.ts'
import { tasksIn } from '../../../server/domains/integrations/delivering/vendors/issue-comments.ts'
import { namesStory } from '../../../server/domains/integrations/delivering/vendors/issue-comments.ts'
import { trackerFrom } from '../../../server/domains/markdown/references/trackers.ts'
import { cpuTime } from '../../support/cpu-time.ts'

/** Commit messages that a slow pattern would need very long for. */
const LONG = 300_000
const soon = (work: () => unknown) => {
  const began = cpuTime()
  const result = work()
  expect(cpuTime() - began).toBeLessThan(1000)
  return result
}
const set = (settings: Record<string, string>) => ({ settings }) as unknown as Delivery

describe('names of issues and tasks in texts of any length', () => {
  it('are found in linear time by the pattern of every tool', () => {
    expect(soon(() => tasksIn(`fix${' '.repeat(LONG)}#1`))).toEqual(new Map([['1', false]]))
    expect(tasksIn('fixes: #1')).toEqual(new Map([['1', true]]))
    expect(soon(() => namesStory(`[#${'1'.repeat(LONG)}`))).toBe(false)
    expect(namesStory('[finishes #123 #124] all')).toBe(true)
  })

  it('are searched only in the beginning of a text for custom patterns', () => {
    const jira_issue_regex = '(?:.?){400}[01]'
    const text = 'ab'.repeat(LONG)
    expect(soon(() => issuesIn(set({ jira_issue_regex }), text))).toEqual(new Map())
    const tracker = trackerFrom('jira', { url: 'https://jira.example', jira_issue_regex }, true)!
    expect(soon(() => tracker.find(text))).toEqual([])
    expect(issuesIn(set({}), `KELP-1 ${text}`)).toEqual(new Map([['KELP-1', false]]))
  })
})
