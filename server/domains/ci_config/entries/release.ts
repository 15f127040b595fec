import { isBlank, isHash, isList, isText } from '../language/values.ts'
import { allowedKeys, attributes, hash, text, texts } from './checks.ts'
import { visit, type Entry, type Node } from './node.ts'

const KEYS = new Set([
  'tag_name',
  'tag_message',
  'name',
  'description',
  'ref',
  'milestones',
  'released_at',
  'assets',
])
const ASSETS = new Set(['links'])
const LINK = new Set(['name', 'url', 'filepath', 'link_type'])

const assets: Entry = (node) => {
  if (!hash(node)) return
  allowedKeys(node, ASSETS)
  if (!node.has('links')) node.config('missing required keys: links')
  if (!node.ok) return
  const links = node.at('links')
  if (!isList(links.value)) return links.config('should be an array of hashes')
  for (const one of links.value) link(links.item('link', one))
}

function link(node: Node): void {
  if (!isHash(node.value)) return node.config('should be a hash')
  allowedKeys(node, LINK)
  for (const key of ['name', 'url']) if (isBlank(node.get(key))) node.attribute(key, "can't be blank")
  attributes(node, { name: text, url: text, filepath: text, link_type: text })
}

/** `release:` (spec ci 4.5). */
export const release: Entry = (node) => {
  if (!hash(node)) return
  allowedKeys(node, KEYS)
  for (const key of ['tag_name', 'description'])
    if (isBlank(node.get(key))) node.attribute(key, "can't be blank")
  attributes(node, {
    tag_name: text,
    tag_message: text,
    name: text,
    description: text,
    ref: text,
    milestones: (value) => !isText(value) && texts(value),
    released_at: (value) =>
      !(isText(value) && !Number.isNaN(Date.parse(value)) && /^\d{4}-/.test(value)) &&
      'must be a valid datetime',
  })
  visit(node, { assets })
}
