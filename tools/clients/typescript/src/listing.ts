/** The entries of a list, one after the other. Each iteration begins at its start, a page at a time. */
export class Listing<Item, Page extends { next?: string }> implements AsyncIterable<Item> {
  constructor(
    private readonly read: (after: string | undefined) => Promise<Page>,
    private readonly itemsOf: (page: Page) => Item[],
    private readonly after: string | undefined,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.itemsOf(page);
  }

  /** The pages, each with `next` unless it is the last: the place to go on at, as `after`. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let { after } = this;
    for (;;) {
      const page = await this.read(after);
      yield page;
      after = page.next;
      // The list of events always has a `next`: an empty page is its end.
      if (after === undefined || this.itemsOf(page).length === 0) return;
    }
  }
}
