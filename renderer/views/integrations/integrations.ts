import type { Item, Result } from '../../api/client.ts'
import type { SettingLine, SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

export type IntegrationLine = Item<'GET /-/projects/:id/integrations'>
export type IntegrationForm = Result<'GET /-/projects/:id/integrations/:slug'>
type Field = IntegrationForm['fields'][number]

/** Answers that are stale after a change of an integration. */
export const STALE = [
  'GET /-/projects/:id/integrations*',
  'GET /-/projects/:id/outside',
  'GET /projects/:id/integrations*',
]

const FAMILIES: Readonly<Record<IntegrationLine['family'], string>> = {
  chat: t('integrations.chats'),
  commands: t('integrations.slash_commands'),
  issue_tracker: t('integrations.issue_trackers'),
  ci_server: t('integrations.build_servers'),
  task_comments: t('integrations.tasks'),
  notification: t('integrations.email_and_notifications'),
  registry: t('integrations.registries'),
  monitoring: t('integrations.monitoring'),
  documentation: t('integrations.wikis'),
}
const ORDER = Object.keys(FAMILIES)

/** The headings of the list; active integrations come first. */
export const groupOf = (one: IntegrationLine): string =>
  one.active ? t('integrations.on') : FAMILIES[one.family]

/** The sorted list, filtered by the search. */
export const arranged = (all: readonly IntegrationLine[], search: string): IntegrationLine[] => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = (one: IntegrationLine) => (one.active ? -1 : ORDER.indexOf(one.family))
  return all
    .filter((one) => {
      const text = `${one.title} ${one.slug} ${FAMILIES[one.family]} ${one.description}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .toSorted((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title))
}

const CHOICES: Readonly<Record<string, string>> = {
  all: t('common.all_branches'),
  default: t('integrations.default_branch'),
  protected: t('common.protected_branches'),
  default_and_protected: t('integrations.default_and_protected'),
  match_any: t('integrations.any'),
  match_all: t('integrations.all'),
}

const lineOf = (field: Field): SettingLine => {
  const { name: key, title: label } = field
  const isOptional = !field.is_required && field.type !== 'boolean' && field.type !== 'choice'
  const help = [field.help.replace(/`([^`]*)`/g, '“$1”'), isOptional ? t('integrations.optional') : '']
    .filter(Boolean)
    .join(' ')
  const common = { key, label, ...(help ? { help } : {}) }
  if (field.is_secret) return { ...common, kind: 'secret', kept: field.is_kept }
  if (field.type === 'boolean') return { ...common, kind: 'switch' }
  if (field.type === 'lines') return { ...common, kind: 'prose' }
  if (field.type === 'integer') return { ...common, kind: 'number' }
  if (field.type === 'choice')
    return {
      ...common,
      kind: 'choice',
      options: field.choices.map((value) => ({ value, label: CHOICES[value] ?? value })),
    }
  return { ...common, kind: 'text' }
}

const isChannel = (field: Field) => field.name.endsWith('_channel')

/** The form of an integration as sections of lines. */
export const sectionsOf = (form: IntegrationForm): SettingSection[] => {
  const own = form.fields.filter((field) => !isChannel(field))
  const channels = form.fields.filter(isChannel)
  const all: SettingSection[] = [
    { title: t('integrations.connection'), lines: own.map(lineOf) },
    {
      title: t('integrations.trigger'),
      lines: form.flags.map((flag) => ({ key: flag.name, label: flag.title, kind: 'switch' as const })),
    },
    {
      title: t('integrations.channels'),
      lead: t('integrations.separate_several_with_commas_leave'),
      lines: channels.map((field) => ({ ...lineOf(field), help: undefined })),
    },
  ]
  return all.filter((section) => section.lines.length > 0)
}

/** The initial values of the controls. */
export const valuesOf = (form: IntegrationForm): Record<string, unknown> =>
  Object.fromEntries([
    ...form.fields.map((field) => [field.name, field.value]),
    ...form.flags.map((flag) => [flag.name, flag.value]),
  ])

/** The request body for the changes of a draft; cleared values are empty texts. */
export const sentOf = (form: IntegrationForm, changed: Readonly<Record<string, unknown>>) => {
  const flags = new Set(form.flags.map((flag) => flag.name))
  const texts = Object.entries(changed).map(([name, value]) => [name, String(value ?? '')] as const)
  return {
    settings: Object.fromEntries(texts.filter(([name]) => !flags.has(name))),
    flags: Object.fromEntries(texts.filter(([name]) => flags.has(name))),
  }
}
