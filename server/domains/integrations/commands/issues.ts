import { type AbilityRule, hasAbility } from '../../../policy/ability.ts'
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

function ifAble(ability: AbilityRule<Project>, isWrite: boolean) {
  return ({ ctx, project }: CommandContext): boolean => hasAbility(ctx, scope, ability, project, isWrite)
}

function addressOf({ ctx, project }: CommandContext, issue: IssueRow): string {
  return `${ctx.config.url}/${fullPath(project)}/-/issues/${issue.iid}`
}

function linkOf(chat: CommandContext, issue: IssueRow): string {
  return chat.markup.link(`#${issue.iid} ${issue.title}`, addressOf(chat, issue))
}

/** An issue as an attachment. The reply is private for confidential issues. */
function issueMessage(chat: CommandContext, issue: IssueRow, text: string) {
  const attachment: ChatAttachment = {
    fallback: `#${issue.iid} ${issue.title}`,
    title: chat.markup.plain(`#${issue.iid} ${issue.title}`),
    title_link: addressOf(chat, issue),
    text: chat.markup.plain((issue.description ?? '').slice(0, 2000)),
    color: COLOR,
    fields: [{ title: 'State', value: issue.state === 'opened' ? 'Open' : 'Closed', short: true }],
    mrkdwn_in: ['title', 'text'],
  }
  return issue.confidential
    ? { ...privateReply(text), attachments: [attachment] }
    : publicReply(text, [attachment])
}

/** Open issues that match the words, newest first. */
function search({ ctx, project }: CommandContext, args: string): IssueRow[] {
  const target = { scope: { project }, relative_to: undefined }
  const paging = { page: 1, per_page: MAX_RESULTS, limit: MAX_RESULTS, offset: 0, keyset: false }
  const order = { order_by: 'created_at', sort: 'desc' } as const
  const filter = { search: args, scope: 'all', state: 'opened' } as const
  return findIssues(ctx, target, filter, { ...paging, ...order }).rows.map((view) => view.issue)
}

const iidOf = (args: Readonly<Record<string, string>>): number => Number(args['iid'])

export const issueCommands: readonly Command[] = [
  {
    pattern: /^issue\s+show\s+#?(?<iid>\d{1,10})$/i,
    usage: 'issue show <number>',
    isAllowed: ifAble(issueAbilities.read_issue, false),
    run: (chat, args) => {
      const issue = findIssue(chat.ctx, chat.project, iidOf(args))
      return issueMessage(chat, issue, linkOf(chat, issue))
    },
  },
  {
    pattern: /^issue\s+(?:new|create)\s+(?<title>[^\n]{1,255})(?:\n+(?<description>[\s\S]+))?$/i,
    usage: 'issue new <title> (and after a line end <description>)',
    isAllowed: ifAble(issueAbilities.create_issue, true),
    run: async (chat, args) => {
      const title = args['title']!.trim()
      const issue = await createIssue(chat.ctx, chat.project, { title, description: args['description'] })
      return issueMessage(chat, issue, `I opened an issue on your behalf: ${linkOf(chat, issue)}`)
    },
  },
  {
    pattern: /^issue\s+search\s+(?<query>[\s\S]{1,255})$/i,
    usage: 'issue search <words>',
    isAllowed: ifAble(issueAbilities.read_issue, false),
    run: (chat, args) => {
      const issues = search(chat, args['query']!.trim())
      return privateReply(issues.map((issue) => linkOf(chat, issue)).join('\n') || 'No issue was found.')
    },
  },
  {
    pattern: /^issue\s+close\s+#?(?<iid>\d{1,10})$/i,
    usage: 'issue close <number>',
    isAllowed: ifAble(issueAbilities.change_issue, true),
    run: (chat, args) => {
      const issue = findIssue(chat.ctx, chat.project, iidOf(args))
      if (!mayUpdateIssue(chat.ctx, issue, chat.project)) return privateReply('You may not close this issue.')
      if (issue.state === 'closed') return privateReply(`Issue ${linkOf(chat, issue)} is already closed.`)
      const closedIssue = closeIssue(chat.ctx, issue)
      return issueMessage(chat, closedIssue, `I closed an issue on your behalf: ${linkOf(chat, closedIssue)}`)
    },
  },
  {
    pattern: /^issue\s+comment\s+#?(?<iid>\d{1,10})\s+(?<body>[\s\S]+)$/i,
    usage: 'issue comment <number> <text>',
    isAllowed: ifAble(issueAbilities.comment_issue, true),
    run: (chat, args) => {
      const { ctx, project } = chat
      const issue = findIssue(ctx, project, iidOf(args))
      const isLocked = issue.discussion_locked === true
      if (isLocked && !hasAbility(ctx, scope, issueAbilities.comment_locked_issue, project, true))
        return privateReply('The discussion of this issue is locked.')
      createNote(ctx, noteTarget(ctx, project, issueNoteable(issue)), { body: args['body']!.trim() })
      return issueMessage(chat, issue, `I commented on an issue on your behalf: ${linkOf(chat, issue)}`)
    },
  },
]
