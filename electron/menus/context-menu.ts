import { clipboard, Menu, shell } from 'electron'

import type { ContextMenuParams, MenuItemConstructorOptions, WebContents } from 'electron'

import { isWeb } from '../origin.ts'
import { text } from '../texts.ts'

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** Returns the menu items for the element under the pointer; an empty list if there are none. */
export function contextItems(contents: WebContents, params: ContextMenuParams): MenuItemConstructorOptions[] {
  const { editFlags, isEditable, linkURL, selectionText } = params
  const items: MenuItemConstructorOptions[] = []
  for (const suggestion of params.dictionarySuggestions ?? [])
    items.push({ label: suggestion, click: () => contents.replaceMisspelling(suggestion) })
  if (isEditable) {
    items.push(
      { role: 'cut', label: text('menu.cut'), enabled: editFlags.canCut },
      { role: 'copy', label: text('menu.copy'), enabled: editFlags.canCopy },
      { role: 'paste', label: text('menu.paste'), enabled: editFlags.canPaste },
      { role: 'selectAll', label: text('menu.select_all') },
    )
  } else if (selectionText.trim() !== '') {
    items.push({ role: 'copy', label: text('menu.copy') })
    if (process.platform === 'darwin')
      items.push({ label: text('menu.look_up'), click: () => contents.showDefinitionForSelection() })
  }
  if (isWeb(linkURL)) {
    if (items.length > 0) items.push(separator)
    items.push(
      { label: text('menu.copy_link'), click: () => void clipboard.writeText(linkURL) },
      { label: text('menu.open_in_browser'), click: () => void shell.openExternal(linkURL) },
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
