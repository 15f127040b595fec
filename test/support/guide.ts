import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { root } from './server-process.ts'

/** Some sections of a page of the guide, followed step by step. */
export interface Walk {
  /** A name that the page prints in bold, for use in a locator. */
  name(text: string): string
  /** Several of them. */
  names(...texts: string[]): string[]
  /** The code block with this text, with the addresses and names of the walk instead of those of the page. */
  block(part: string): string
  /** Any other text of the page, such as a message that it quotes. */
  quote(text: string): string
  /** Fails if the walk left out a name in bold or a code block. */
  done(): void
}

export interface WalkOptions {
  /** Titles of the sections; the whole page without it. The part above the first section has the title of the page. */
  readonly sections?: readonly string[]
  /** Replacements for texts in the code blocks of the page: `USER/PROJECT`, `http://127.0.0.1:7080`. */
  readonly values?: Readonly<Record<string, string>>
}

interface Section {
  readonly title: string
  readonly text: string
}

const BLOCK = /```(\w+)\n([\s\S]*?)```/g
/** Line breaks of the page are spaces. */
const plain = (text: string) => text.replaceAll(/\s+/g, ' ')

/** The sections of a page in `docs`, `guide/git` for example. */
export function sectionsOf(page: string): Section[] {
  const parts = readFileSync(join(root, 'docs', `${page}.md`), 'utf8').split(/^#{1,3} /m)
  return parts.slice(1).map((part) => {
    const end = part.indexOf('\n')
    return { title: part.slice(0, end), text: part.slice(end + 1) }
  })
}

/** Begins to follow a page. */
export function walk(page: string, { sections, values = {} }: WalkOptions = {}): Walk {
  const all = sectionsOf(page)
  const titles = sections ?? all.map(({ title }) => title)
  const text = titles
    .map((title) => {
      const found = all.find((section) => section.title === title)
      if (!found) throw new Error(`${page} has no section "${title}".`)
      return found.text
    })
    .join('\n')
  const blocks = [...text.matchAll(BLOCK)].map((match) => match[2] as string)
  const prose = text.replaceAll(BLOCK, '')
  const names = new Set([...prose.matchAll(/\*\*([^*]+)\*\*/g)].map((match) => plain(match[1] as string)))
  const [usedNames, usedBlocks] = [new Set<string>(), new Set<string>()]
  const name = (text: string) => {
    if (!names.has(text)) throw new Error(`${page} prints no "${text}" in bold.`)
    usedNames.add(text)
    return text
  }
  return {
    name,
    names: (...several) => several.map(name),
    block: (part) => {
      const found = blocks.find((block) => block.includes(part))
      if (found === undefined) throw new Error(`${page} has no code block with "${part}".`)
      usedBlocks.add(found)
      return Object.entries(values).reduce((done, [from, to]) => done.replaceAll(from, to), found)
    },
    quote: (text) => {
      if (!plain(prose).includes(text)) throw new Error(`${page} does not contain "${text}".`)
      return text
    },
    done: () => {
      const left = [
        ...[...names].filter((name) => !usedNames.has(name)),
        ...blocks.filter((block) => !usedBlocks.has(block)),
      ]
      if (left.length > 0) throw new Error(`The walk through ${page} left out:\n${left.join('\n')}`)
    },
  }
}
