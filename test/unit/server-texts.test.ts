import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { translator, type ServerTexts } from '../../renderer/locales/server-texts.ts'
import { groups } from '../../server/domains/settings/catalogue/settings.ts'
import { root } from '../support/server-process.ts'

const german = JSON.parse(
  readFileSync(join(root, 'renderer/locales/server-texts.de.json'), 'utf8'),
) as ServerTexts
const say = translator(german)

/** Names, values and units that are equal in both languages. */
const SAME =
  /^(\d+|main|github|bitbucket(_server)?|gitlab(_project)?|fogbugz|git|gitea|manifest|phabricator|KB|MB|ms|CI\/CD|Retry later|STARTTLS|TLS|PLAIN|LOGIN|CRAM-MD5|(users\.)?noreply[.@]<host>|Deskforge|blockdiag|bpmn|excalidraw|mermaid|Gitpod URL|Grafana URL|Kroki URL|PlantUML URL|Sentry DSN|SMTP server)$/i

describe('the texts of the server in German', () => {
  it('cover the settings, sentence by sentence', () => {
    const texts = groups.flatMap((group) => [
      group.title,
      ...Object.values(group.settings).flatMap(({ label, help, about, choices }) => [
        label,
        help,
        about.unit ?? '',
        about.empty ?? '',
        ...(choices ?? []).map((choice) => choice.label),
      ]),
    ])
    const sentences = texts.flatMap((text) => text.split(/(?<=[.!?]) (?=[A-Z0-9])/))
    const english = sentences.filter(
      (sentence) => sentence !== '' && !(sentence in german.texts) && !SAME.test(sentence),
    )
    expect([...new Set(english)]).toEqual([])
  })

  it('cover system notes', () => {
    expect(say('assigned to @ada, @bob, and @eve and unassigned @otto')).toBe(
      'hat @ada, @bob und @eve zugewiesen und die Zuweisung von @otto aufgehoben',
    )
    expect(say('requested review from @ada')).toBe('hat @ada um ein Review gebeten')
    expect(say('changed title from **A{- b-}** to **A{+ c+}**')).toBe(
      'hat den Titel von **A{- b-}** in **A{+ c+}** geändert',
    )
    expect(say('added 2 commits')).toBe('hat 2 Commits hinzugefügt')
    expect(say('<li>3 earlier commits</li>')).toBe('<li>3 frühere Commits</li>')
    expect(say('<li>1a2b...3c4d - 5 commits from branch <code>main</code></li>')).toBe(
      '<li>1a2b...3c4d - 5 Commits aus dem Branch <code>main</code></li>',
    )
    expect(say('mentioned in merge request !3')).toBe('hat dies in Merge-Request !3 erwähnt')
  })

  it('translate known sentences, and leave others unchanged', () => {
    expect(say('The tide turns. At noon.')).toBe('The tide turns. At noon.')
    expect(say('Existing projects do not change. Ask Ada.')).toBe(
      'Bestehende Projekte ändern sich nicht. Ask Ada.',
    )
  })
})
