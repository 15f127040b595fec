import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { sectionsOf } from '../support/guide.ts'
import { root } from '../support/server-process.ts'

const messages = JSON.parse(readFileSync(join(root, 'renderer/locales/en.json'), 'utf8')) as Record<
  string,
  Record<string, string | object>
>
const ofShell = JSON.parse(readFileSync(join(root, 'electron/locales/en.json'), 'utf8')) as typeof messages
const texts = new Set([messages, ofShell].flatMap(Object.values).flatMap((group) => Object.values(group)))
/** The templates contain a few names that are no messages, such as SSH. */
const sources = globSync(['renderer/**/*.vue'], { cwd: root })
  .map((file) => readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' '))
  .join('\n')

/** A name in the window is a message, a label in code, or the text between two tags. */
const isShown = (name: string): boolean =>
  texts.has(name) ||
  [`'${name}'`, `"${name}"`, `> ${name} <`, `>${name}<`, `> ${name}<`, `>${name} <`].some((text) =>
    sources.includes(text),
  )

describe('the names that the guide prints in bold', () => {
  const pages = globSync(['docs/guide/*.md', 'docs/install.md'], { cwd: root })

  it.each(pages)('are those of the window: %s', (page) => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
    const names = [...text.matchAll(/\*\*([^*]+)\*\*/g)].map((match) =>
      (match[1] as string).replaceAll(/\s+/g, ' '),
    )
    expect(names.filter((name) => !isShown(name))).toEqual([])
  })
})

describe('the walks through the guide', () => {
  /** The sections that a journey follows; the whole page if it names none. */
  const walked = globSync(['test/e2e/guide-walk-*.spec.ts', 'test/shell/journeys/guide-walk.spec.ts'], {
    cwd: root,
  })
    .flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /walk\('([^']+)'(?:, \{\s*sections: \[([^\]]*)\])?/g,
      ),
    ])
    .flatMap(([, page = '', sections]) =>
      sections === undefined
        ? sectionsOf(page).map(({ title }) => `${page}: ${title}`)
        : [...sections.matchAll(/'([^']+)'/g)].map(([, title]) => `${page}: ${title}`),
    )

  it('follow every section of every page', () => {
    const pages = globSync(['docs/guide/*.md', 'docs/install.md'], { cwd: root })
    const sections = pages.flatMap((file) => {
      const page = file
        .replaceAll('\\', '/')
        .replace(/^docs\//, '')
        .replace(/\.md$/, '')
      return sectionsOf(page).map(({ title }) => `${page}: ${title}`)
    })
    expect(sections.filter((section) => !walked.includes(section))).toEqual([])
  })
})
