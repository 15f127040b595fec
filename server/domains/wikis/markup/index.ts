export { FORMATS, formatOfExtension, WRITABLE_FORMATS, type PageFormat } from '../../../lib/markup/formats.ts'
export { renderPage, type PageSource, type WikiPlace } from './render.ts'
