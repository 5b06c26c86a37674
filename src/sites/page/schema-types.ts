/** What a type of schema.org says about a site. */
interface CategoryTypes {
  readonly category: string;
  /** Whether things of these types are organizations. */
  readonly isOrganization: boolean;
  readonly types: string;
}

/**
 * The types of schema.org that declare what a site is about. Types that every site may have, such as
 * `WebSite`, `BreadcrumbList` or `ImageObject`, are not in it.
 */
const categoryTypes: readonly CategoryTypes[] = [
  { category: 'organization', isOrganization: true, types: 'Organization NGO WorkersUnion PerformingGroup MusicGroup DanceGroup TheaterGroup SportsOrganization SportsTeam Project ResearchProject FundingAgency Consortium ReligiousOrganization' },
  { category: 'business', isOrganization: true, types: 'Corporation LocalBusiness ProfessionalService Airline OnlineBusiness LegalService Attorney Notary AccountingService FinancialService BankOrCreditUnion InsuranceAgency EmploymentAgency RealEstateAgent HomeAndConstructionBusiness Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany Plumber RoofingContractor AutomotiveBusiness AutoRepair AutoDealer AutoRental AutoWash GasStation BeautySalon HairSalon NailSalon DaySpa TattooParlor HealthAndBeautyBusiness ChildCare DryCleaningOrLaundry SelfStorage EntertainmentBusiness NightClub Casino SportsActivityLocation ExerciseGym HealthClub GolfCourse AnimalShelter' },
  { category: 'shopping', isOrganization: true, types: 'Store OnlineStore OnlineMarketplace BookStore ClothingStore ShoeStore ToyStore ElectronicsStore FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore JewelryStore LiquorStore MobilePhoneStore MusicStore OfficeEquipmentStore OutletStore PawnShop PetStore SportingGoodsStore TireShop WholesaleStore BikeStore ComputerStore ConvenienceStore DepartmentStore Florist ShoppingCenter AutoPartsStore' },
  { category: 'shopping', isOrganization: false, types: 'Product ProductGroup ProductModel IndividualProduct Offer AggregateOffer OfferCatalog' },
  { category: 'news', isOrganization: true, types: 'NewsMediaOrganization' },
  { category: 'news', isOrganization: false, types: 'NewsArticle AnalysisNewsArticle BackgroundNewsArticle OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle AskPublicNewsArticle LiveBlogPosting Newspaper' },
  { category: 'education', isOrganization: true, types: 'EducationalOrganization School CollegeOrUniversity ElementarySchool HighSchool MiddleSchool Preschool ResearchOrganization Library LibrarySystem' },
  { category: 'education', isOrganization: false, types: 'Course CourseInstance EducationalOccupationalProgram LearningResource Quiz ScholarlyArticle' },
  { category: 'health', isOrganization: true, types: 'MedicalOrganization MedicalBusiness MedicalClinic Hospital Physician Dentist Optician Pharmacy DiagnosticLab VeterinaryCare CovidTestingFacility' },
  { category: 'health', isOrganization: false, types: 'MedicalWebPage MedicalCondition MedicalProcedure Drug MedicalScholarlyArticle HealthTopicContent' },
  { category: 'government', isOrganization: true, types: 'GovernmentOrganization GovernmentOffice PostOffice PoliticalParty EmergencyService FireStation PoliceStation' },
  { category: 'government', isOrganization: false, types: 'GovernmentService GovernmentBuilding CityHall Courthouse Embassy Legislation' },
  { category: 'software', isOrganization: false, types: 'SoftwareApplication WebApplication MobileApplication SoftwareSourceCode WebAPI APIReference TechArticle' },
  { category: 'food', isOrganization: true, types: 'FoodEstablishment Restaurant Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop Winery' },
  { category: 'food', isOrganization: false, types: 'Recipe Menu MenuItem' },
  { category: 'travel', isOrganization: true, types: 'LodgingBusiness Hotel Hostel Motel Resort SkiResort BedAndBreakfast Campground VacationRental TravelAgency TouristInformationCenter' },
  { category: 'travel', isOrganization: false, types: 'TouristAttraction TouristDestination TouristTrip Trip Flight BusTrip TrainTrip BoatTrip Airport' },
  { category: 'events', isOrganization: false, types: 'Event EventSeries BusinessEvent ChildrensEvent ComedyEvent DanceEvent EducationEvent ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent PublicationEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent VisualArtsEvent EventVenue' },
  { category: 'jobs', isOrganization: false, types: 'JobPosting Occupation' },
  { category: 'media', isOrganization: true, types: 'RadioStation TelevisionStation MovieTheater' },
  { category: 'media', isOrganization: false, types: 'Article Blog BlogPosting Book BroadcastService Movie MovieSeries MusicAlbum MusicPlaylist MusicRecording Periodical Photograph PodcastEpisode PodcastSeries RadioEpisode RadioSeries TVEpisode TVSeries TVSeason VideoGame VideoObject AudioObject Audiobook Game ComicSeries' },
  { category: 'person', isOrganization: false, types: 'Person ProfilePage Patient' },
]; // prettier-ignore

const rows = categoryTypes.flatMap(({ types, ...row }) =>
  types.split(' ').map((type) => ({ type, ...row })),
);
const categoryByType = new Map(rows.map(({ type, category }) => [type, category]));
const organizationTypes = new Set(
  rows.filter(({ isOrganization }) => isOrganization).map(({ type }) => type),
);

/** `WebPage` and the types below it, which are about their `mainEntity`. */
const pageTypes = new Set(
  'WebPage AboutPage CheckoutPage CollectionPage ContactPage FAQPage ItemPage MedicalWebPage ProfilePage QAPage RealEstateListing SearchResultsPage'.split(' '),
); // prettier-ignore

/** Returns whether things of a schema.org type are pages. */
export function isPageType(type: string): boolean {
  return pageTypes.has(type);
}

/** Returns the category of a schema.org type; undefined for a type that says nothing, or is unknown. */
export function categoryOfType(type: string): string | undefined {
  return categoryByType.get(type);
}

/** Returns whether things of a schema.org type are organizations. */
export function isOrganizationType(type: string): boolean {
  return organizationTypes.has(type);
}
