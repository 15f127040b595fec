import { clipboard, Menu, shell } from 'electron'

import type { ContextMenuParams, MenuItemConstructorOptions, WebContents } from 'electron'

import { isWeb } from './origin.ts'

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** The menu items for the element under the pointer; none if nothing can be done there. */
export function contextItems(contents: WebContents, params: ContextMenuParams): MenuItemConstructorOptions[] {
  const { editFlags, isEditable, linkURL, selectionText } = params
  const items: MenuItemConstructorOptions[] = []
  for (const word of params.dictionarySuggestions ?? [])
    items.push({ label: word, click: () => contents.replaceMisspelling(word) })
  if (isEditable) {
    items.push(
      { role: 'cut', enabled: editFlags.canCut },
      { role: 'copy', enabled: editFlags.canCopy },
      { role: 'paste', enabled: editFlags.canPaste },
      { role: 'selectAll' },
    )
  } else if (selectionText.trim() !== '') {
    items.push({ role: 'copy' })
    if (process.platform === 'darwin')
      items.push({ label: 'Look Up', click: () => contents.showDefinitionForSelection() })
  }
  if (isWeb(linkURL)) {
    if (items.length > 0) items.push(separator)
    items.push(
      { label: 'Copy Link', click: () => void clipboard.writeText(linkURL) },
      { label: 'Open in Browser', click: () => void shell.openExternal(linkURL) },
    )
  }
  return items
}

export function addContextMenu(contents: WebContents): void {
  contents.on('context-menu', (_event, params) => {
    const items = contextItems(contents, params)
    if (items.length > 0) Menu.buildFromTemplate(items).popup()
  })
}
