import { type Delivery, projectUrl } from '../channel.ts'
import { isBlank, payloadOf, type PushPayload, shortRef, type WikiPagePayload } from '../payload.ts'
import { type TextPart, text, type Text } from './markup.ts'
import { type Message, nameOf, projectLink, refLink, truncate } from './message.ts'

/** A branch or tag that was pushed, created or deleted. */
export function pushMessage(delivery: Delivery): Message {
  const push = payloadOf<PushPayload>(delivery)
  const isTag = push.ref.startsWith('refs/tags/')
  const pusher = nameOf({ name: push.user_name, username: push.user_username })
  const pretext = text`${pusher} ${summaryOf(delivery, push, isTag)}`
  const isUpdate = !isBlank(push.before) && !isBlank(push.after)
  return {
    pretext,
    summary: pretext,
    attachments:
      isUpdate && push.commits.length > 0
        ? [{ text: commitLines(push), color: isTag ? '#345' : '#334455' }]
        : [],
    activity: {
      title: text`${pusher} ${shortSummary(push, isTag)}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: isUpdate ? [compareLink(delivery, push)] : [],
      image: push.user_avatar,
    },
    author: { name: pusher, avatar: push.user_avatar },
    thread: `push ${push.ref}`,
  }
}

function summaryOf(delivery: Delivery, push: PushPayload, isTag: boolean): Text {
  const [kind, name] = [isTag ? 'tag' : 'branch', shortRef(push.ref)]
  const project = projectLink(delivery)
  if (isBlank(push.after)) return text`removed ${kind} ${name} from ${project}`
  const ref = refLink(delivery, name, isTag)
  if (isBlank(push.before)) return text`pushed new ${kind} ${ref} to ${project}`
  return text`pushed to ${kind} ${ref} of ${project} (${compareLink(delivery, push)})`
}

/** A short summary for the title of a card. */
function shortSummary(push: PushPayload, isTag: boolean): string {
  const kind = isTag ? 'tag' : 'branch'
  if (isBlank(push.after)) return `removed ${kind}`
  return isBlank(push.before) ? `pushed new ${kind}` : `pushed to ${kind}`
}

function compareLink(delivery: Delivery, { before, after }: PushPayload): TextPart {
  return { link: 'Compare changes', url: `${projectUrl(delivery)}/-/compare/${before}...${after}` }
}

/** `1a2b3c4d: Title - Author`, one line per commit. */
function commitLines({ commits }: PushPayload): Text {
  return commits.flatMap((commit, at) => [
    ...(at === 0 ? [] : ['\n']),
    ...text`${{ link: commit.id.slice(0, 8), url: commit.url }}: ${commit.title} - ${commit.author.name}`,
  ])
}

const PAGE_ACTIONS: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'edited',
  delete: 'deleted',
}

/** A wiki page that was created, updated or deleted. */
export function wikiPageMessage(delivery: Delivery): Message {
  const { user, object_attributes: page } = payloadOf<WikiPagePayload>(delivery)
  const userName = nameOf(user)
  const action = PAGE_ACTIONS[page.action] ?? page.action
  const link = { link: 'wiki page', url: page.url }
  const compare =
    page.action === 'update' && page.diff_url
      ? text` (${{ link: 'Compare changes', url: page.diff_url }})`
      : []
  const pretext = text`${userName} ${action} ${link}${compare} in ${projectLink(delivery)}: ${{ strong: page.title }}`
  return {
    pretext,
    summary: pretext,
    attachments: page.message ? [{ text: [{ markdown: truncate(page.message) }], color: '#345' }] : [],
    activity: {
      title: text`${userName} ${action} ${link}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: [page.title],
      image: user?.avatar_url ?? null,
    },
    author: { name: userName, avatar: user?.avatar_url ?? null },
    thread: `wiki_page ${page.slug}`,
  }
}
