import { type AbilityRule, isAble } from '../../../policy/ability.ts'
import { createNote, noteTarget } from '../../discussions/index.ts'
import {
  closeIssue,
  createIssue,
  findIssue,
  findIssues,
  issueAbilities,
  issueNoteable,
  type IssueRow,
  mayUpdateIssue,
} from '../../planning/index.ts'
import { fullPath, type Project, project as scope } from '../../projects/index.ts'
import { type ChatAttachment, type Command, type CommandContext, privateReply, publicReply } from './reply.ts'

/** The maximum number of search results. */
const MAX_RESULTS = 5
const COLOR = '#C95823'

function able(ability: AbilityRule<Project>, isWrite: boolean) {
  return ({ ctx, project }: CommandContext): boolean => isAble(ctx, scope, ability, project, isWrite)
}

function addressOf({ ctx, project }: CommandContext, issue: IssueRow): string {
  return `${ctx.config.url}/${fullPath(project)}/-/issues/${issue.iid}`
}

function linkOf(chat: CommandContext, issue: IssueRow): string {
  return chat.markup.link(`#${issue.iid} ${issue.title}`, addressOf(chat, issue))
}

/** An issue as an attachment. The reply is private for confidential issues. */
function issueMessage(chat: CommandContext, issue: IssueRow, text: string) {
  const box: ChatAttachment = {
    fallback: `#${issue.iid} ${issue.title}`,
    title: chat.markup.plain(`#${issue.iid} ${issue.title}`),
    title_link: addressOf(chat, issue),
    text: chat.markup.plain((issue.description ?? '').slice(0, 2000)),
    color: COLOR,
    fields: [{ title: 'State', value: issue.state === 'opened' ? 'Open' : 'Closed', short: true }],
    mrkdwn_in: ['title', 'text'],
  }
  return issue.confidential ? { ...privateReply(text), attachments: [box] } : publicReply(text, [box])
}

/** Open issues that match the words, newest first. */
function search({ ctx, project }: CommandContext, words: string): IssueRow[] {
  const target = { scope: { project }, relative_to: undefined }
  const paging = { page: 1, per_page: MAX_RESULTS, limit: MAX_RESULTS, offset: 0, keyset: false }
  const order = { order_by: 'created_at', sort: 'desc' } as const
  const filter = { search: words, scope: 'all', state: 'opened' } as const
  return findIssues(ctx, target, filter, { ...paging, ...order }).rows.map((view) => view.issue)
}

const numbered = (words: Readonly<Record<string, string>>): number => Number(words['iid'])

export const issueCommands: readonly Command[] = [
  {
    pattern: /^issue\s+show\s+#?(?<iid>\d{1,10})$/i,
    usage: 'issue show <number>',
    may: able(issueAbilities.read_issue, false),
    run: (chat, words) => {
      const issue = findIssue(chat.ctx, chat.project, numbered(words))
      return issueMessage(chat, issue, linkOf(chat, issue))
    },
  },
  {
    pattern: /^issue\s+(?:new|create)\s+(?<title>[^\n]{1,255})(?:\n+(?<description>[\s\S]+))?$/i,
    usage: 'issue new <title> (and after a line end <description>)',
    may: able(issueAbilities.create_issue, true),
    run: async (chat, words) => {
      const title = words['title']!.trim()
      const issue = await createIssue(chat.ctx, chat.project, { title, description: words['description'] })
      return issueMessage(chat, issue, `I opened an issue on your behalf: ${linkOf(chat, issue)}`)
    },
  },
  {
    pattern: /^issue\s+search\s+(?<query>[\s\S]{1,255})$/i,
    usage: 'issue search <words>',
    may: able(issueAbilities.read_issue, false),
    run: (chat, words) => {
      const issues = search(chat, words['query']!.trim())
      return privateReply(issues.map((issue) => linkOf(chat, issue)).join('\n') || 'No issue was found.')
    },
  },
  {
    pattern: /^issue\s+close\s+#?(?<iid>\d{1,10})$/i,
    usage: 'issue close <number>',
    may: able(issueAbilities.change_issue, true),
    run: (chat, words) => {
      const issue = findIssue(chat.ctx, chat.project, numbered(words))
      if (!mayUpdateIssue(chat.ctx, issue, chat.project)) return privateReply('You may not close this issue.')
      if (issue.state === 'closed') return privateReply(`Issue ${linkOf(chat, issue)} is already closed.`)
      const closed = closeIssue(chat.ctx, issue)
      return issueMessage(chat, closed, `I closed an issue on your behalf: ${linkOf(chat, closed)}`)
    },
  },
  {
    pattern: /^issue\s+comment\s+#?(?<iid>\d{1,10})\s+(?<body>[\s\S]+)$/i,
    usage: 'issue comment <number> <text>',
    may: able(issueAbilities.comment_issue, true),
    run: (chat, words) => {
      const { ctx, project } = chat
      const issue = findIssue(ctx, project, numbered(words))
      const isLocked = issue.discussion_locked === true
      if (isLocked && !isAble(ctx, scope, issueAbilities.comment_locked_issue, project, true))
        return privateReply('The discussion of this issue is locked.')
      createNote(ctx, noteTarget(ctx, project, issueNoteable(issue)), { body: words['body']!.trim() })
      return issueMessage(chat, issue, `I commented on an issue on your behalf: ${linkOf(chat, issue)}`)
    },
  },
]
