import { describeFields } from "../values/documented.ts";
import { pageDocs, pageQueryDocs } from "./page-docs.ts";
import { PersonListQuery, PersonPage } from "./person-list.ts";

describeFields(PersonListQuery, { ...pageQueryDocs, email: ["The whole email address.", "ana@example.com"] });
describeFields(PersonPage, pageDocs);
